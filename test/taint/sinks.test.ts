// Deliberate leak through every tap: each tap catches it, so an accidental leak fails the test that shows it.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { CodedError } from '../../src/base/errors.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { passwordFrom, seededSecrets } from '../../src/base/random.ts'
import { FolderStore } from '../../src/controllers/stores/folder-store-driver.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { ConfigMap, Event, Secret } from '../../src/object/built-in.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { recordSpans } from '../telemetry/span-record.ts'
import { secretText } from './secret-text.ts'
import type { Leak, Taint } from './taint.ts'
import { tappedFiles } from './tap-plugin.ts'

const password = secretText('sinks')
const signal = new AbortController().signal

/** Taint of this test file, from vitest-setup.ts. */
const taint = (globalThis as unknown as Record<symbol, Taint>)[Symbol.for('konverge.taint')] as Taint // Always present.

let cluster: TestCluster

beforeEach(async () => {
  cluster = await startCluster()
  const data = {
    password: Buffer.from(password).toString('base64'),
    host: Buffer.from('db.example').toString('base64'),
  }
  await cluster.create(Secret, { metadata: { name: 'server' }, data })
  expect(taint.takeLeaks()).toEqual([])
})

afterEach(() => cluster.stop())

/** Returns the sinks of the leaks. The test takes the leaks, so that they do not fail it. */
function sinksOf(leaks: readonly Leak[]): readonly string[] {
  for (const { origin } of leaks) expect(origin).toMatch(/^Secret default\/server key password$|^generated password$/)
  return leaks.map(({ sink }) => sink)
}

describe('a Secret value is caught', () => {
  it.each(['debug', 'info', 'warn', 'error'] as const)(
    'in a line of the log, level %s, also below the level that is written',
    (level) => {
      const log = createLogger({ clock: systemClock, level: 'error', destination: { write: () => {} } })
      log[level]({ address: `postgres://op:${password}@db.example` }, 'connecting')
      log[level]({}, `connecting with ${password}`)
      log[level]({ err: new Error('refused', { cause: new Error(password) }) }, 'it failed')
      log.with({ place: password })
      expect(sinksOf(taint.takeLeaks())).toEqual(['log', 'log', 'log', 'log'])
    },
  )

  it('in a line of a log that has no output', () => {
    silentInstruments.log.with({ a: 1 }).info({ text: Buffer.from(password).toString('base64') }, 'x')
    expect(sinksOf(taint.takeLeaks())).toEqual(['log'])
  })

  it('in the label of a metric', () => {
    const metrics = new PrometheusMetrics()
    metrics.counter({ name: 'logins_total', help: 'h', labels: ['user'] }).add({ user: password })
    silentInstruments.metrics.gauge({ name: 'logins', help: 'h', labels: ['user'] }).set({ user: password }, 1)
    expect(sinksOf(taint.takeLeaks())).toEqual(['metric logins_total', 'metric logins'])
  })

  it('in an attribute of a span', async () => {
    const { tracer } = recordSpans()
    await tracer.run(
      'observe',
      () => ({ password }),
      async (span) => span.note(() => ({ later: password })),
    )
    await silentInstruments.tracer.run(
      'apply',
      () => ({ password }),
      async () => {},
    )
    expect(new Set(sinksOf(taint.takeLeaks()))).toEqual(new Set(['span observe', 'span note', 'span apply']))
  })

  it('in every object but a Secret: a status, an Event, a ConfigMap', async () => {
    await cluster.create(ConfigMap, { metadata: { name: 'copy' }, data: { a: password } })
    await cluster.create(Event, {
      metadata: { name: 'told' },
      ...{ eventTime: '2026-01-01T00:00:00.000000Z', reportingController: 'a/b', reportingInstance: 'c', action: 'A' },
      ...{
        reason: 'B',
        type: 'Normal',
        note: `the password is ${password}`,
        regarding: { kind: 'Pod', name: 'a', namespace: 'default' },
      },
    })
    await cluster.create(Secret, {
      metadata: { name: 'other' },
      data: { password: Buffer.from(password).toString('base64') },
    })
    const sinks = sinksOf(taint.takeLeaks())
    expect(sinks).toContain('object configmaps default/copy')
    expect(sinks.some((sink) => /^object events\S* default\/told$/.test(sink))).toBe(true)
    expect(sinks.filter((sink) => sink.includes('secrets'))).toEqual([])
  })

  it('in requests to and responses from the API server', async () => {
    const sent = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'copy', namespace: 'default' },
      data: { a: password },
    }
    await cluster.clientOf('somebody').create(ConfigMap, sent, { fieldManager: 'test' }, signal)
    await cluster.clientOf('somebody').list(ConfigMap, { namespace: 'default' }, signal)
    const sinks = sinksOf(taint.takeLeaks())
    expect(sinks.filter((sink) => /^(request POST|answer POST|answer GET) /.test(sink))).toHaveLength(3)
  })

  it('in the message of an error, from any source', () => {
    const error = new KubeError({ code: 'Invalid', message: `data.a: Invalid value: "${password}"` })
    expect(error).toBeInstanceOf(CodedError)
    expect(sinksOf(taint.takeLeaks())).toEqual(['error Invalid'])
  })

  it('in a file of a store', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'konverge-taint-'))
    const store = new FolderStore({ folder, attempt: 'a' })
    async function* content() {
      yield Buffer.from(`{"manifest":{"password":"${password.slice(0, 10)}`)
      yield Buffer.from(`${password.slice(10)}"}}`)
    }
    await store.put('shop/manifest.json', content(), { signal })
    rmSync(folder, { recursive: true })
    expect(sinksOf(taint.takeLeaks())).toEqual(['artifact shop/manifest.json'])
  })

  it('on standard output and standard error of a child process, which reach their readers', async () => {
    const program = `process.stdout.write('out ${password}'); process.stderr.write('err ${password}')`
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', program])
    expect([stdout, stderr]).toEqual([`out ${password}`, `err ${password}`])
    expect(sinksOf(taint.takeLeaks()).toSorted()).toEqual([
      `standard error of ${process.execPath}`,
      `standard output of ${process.execPath}`,
    ])
  })

  it('when it is a generated password that no Secret holds', () => {
    const generated = passwordFrom(seededSecrets(7), 32)
    silentInstruments.log.info({}, `made ${generated}`)
    expect(sinksOf(taint.takeLeaks())).toEqual(['log'])
  })
})

it.each(tappedFiles)('has a tap in %s, and the file exists', (file) => {
  expect(existsSync(join(import.meta.dirname, '../..', file))).toBe(true)
})
