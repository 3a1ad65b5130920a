// Counterexamples that runs of hostile inputs found, each with the current behaviour.
import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { CodedError } from '../../src/base/errors.ts'
import { applyMergePatch, mergePatchBetween } from '../../src/base/json-patch.ts'
import { readManifest } from '../../src/controllers/backup/manifest.ts'
import { readPhysicalManifest } from '../../src/controllers/backup/physical-manifest.ts'
import { workDigest, workOrderIn } from '../../src/controllers/backup/work-order.ts'
import type { Change } from '../../src/controllers/engines/change.ts'
import { changeStatements } from '../../src/controllers/engines/postgres/change-statements.ts'
import { tokenIn } from '../../src/controllers/engines/postgres/mark.ts'
import { shapeIn } from '../../src/controllers/engines/postgres/migration/copy-plan.ts'
import { followedIn } from '../../src/controllers/engines/postgres/migration/follow-plan.ts'
import { leftoversIn } from '../../src/controllers/engines/postgres/migration/leftover.ts'
import { markIn } from '../../src/controllers/engines/postgres/migration/mark-statements.ts'
import {
  publisherFacts,
  subscriberFacts,
} from '../../src/controllers/engines/postgres/replication/replication-answers.ts'
import { signature } from '../../src/controllers/engines/postgres/sql-text.ts'
import { orderDigest, workerOrderIn } from '../../src/controllers/migration/worker-order.ts'
import { s3Failure } from '../../src/controllers/stores/s3-failure.ts'
import { kubeErrorOf } from '../../src/kube/kube-errors.ts'
import { mergeConditions } from '../../src/object/condition.ts'
import { steeringOf } from '../../src/reconcile/steering.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { logicalManifest, physicalManifest } from './sample-manifests.ts'
import { scanned } from './scanned-archive.ts'

const facts = { majorVersion: 17, isSuperuser: true }
const stopped = expect.objectContaining({ code: 'StatementFailed', remedy: 'stop' })

function sealed(manifest: object): string {
  const sha256 = createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
  return JSON.stringify({ sha256, manifest })
}

describe('a role that is called "public" or "none"', () => {
  // `GRANT … TO "public"` grants to all roles, and `SET ROLE "none"` restores the administrator.
  it.each<Change>([
    { kind: 'grant', role: 'public', on: 'Schema', schema: '', table: '', names: ['s'], privileges: ['USAGE'] },
    { kind: 'grantDefault', role: 'public', creator: 'c', schema: 's', on: 'Table', privileges: ['SELECT'] },
    { kind: 'setRoleSetting', role: 'none', database: undefined, name: 'work_mem', value: '1' },
    { kind: 'setOwner', sort: 'TABLE', schema: 's', name: 't', owner: 'public' },
    { kind: 'renameRole', role: 'a', to: 'public' },
    { kind: 'revokeMembership', role: 'a', member: 'b', grantors: ['c', 'none'] },
  ])('is rejected in $kind', (change) => {
    expect(() => changeStatements(change, facts)).toThrow(stopped)
  })

  it('is valid as the name of a database or a schema', () => {
    expect(changeStatements({ kind: 'renameDatabase', database: 'none', to: 'public' }, facts)).toHaveLength(1)
    expect(changeStatements({ kind: 'createSchema', schema: 'public', owner: 'a' }, facts)).not.toEqual([])
  })
})

it('judges a signature of many quotes at once', () => {
  const startMs = performance.now()
  expect(() => signature('s', `f(${'"'.repeat(126)}!)`)).toThrow(stopped)
  expect(performance.now() - startMs).toBeLessThan(1_000)
  expect(signature('s', '"Odd ""name"("a""b", "c")')).toBe('"s"."Odd ""name"("a""b", "c")')
})

describe('a manifest', () => {
  it.each([5_000, 100_000])('is rejected when it is nested %i deep', (depth) => {
    const deep = `{"form":"konverge/logical-backup/1","a":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect(readManifest(`{"sha256":"","manifest":${deep}}`)).toMatchObject({ kind: 'refused' })
  })

  it.each([[['\u0085']], '\u009b2J', 'x'.repeat(10_000)])('with the form %j is rejected without a quote', (form) => {
    expect(readPhysicalManifest(sealed({ ...physicalManifest, form }))).toEqual({
      kind: 'refused',
      fault: 'is of an unknown form, which this version cannot read',
    })
  })

  it('with a negative number of bytes is rejected', () => {
    const manifest = { ...logicalManifest, artifact: { ...logicalManifest.artifact, sizeBytes: -1 } }
    expect(readManifest(sealed(manifest))).toMatchObject({ kind: 'refused', fault: /artifact.sizeBytes/ })
  })
})

it.each(['', 'null', '1', '[', '[]'])('reads no order from %j, also with the digest of its text', (text) => {
  expect(workOrderIn(text, workDigest(text), ['backup'])).toBeUndefined()
  expect(workerOrderIn(text, orderDigest(text))).toBeUndefined()
})

it.each(['\u000e', 'zzz', '-1'])('rejects an archive whose file has the size %j', (size) => {
  scanned('a', size, '0', Buffer.from('x'))
})

describe('an annotation', () => {
  const steered = (name: string, value: string) =>
    steeringOf({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '1', annotations: { [name]: value } },
    })

  it('with a token that is too long for a status gets a complaint', () => {
    expect(steered('konverge.dev/reconcile-now', 'x'.repeat(257))).toEqual({
      complaint: 'konverge.dev/reconcile-now has 257 characters; give a token of at most 256, such as the time',
    })
  })

  it.each(['paused', 'reconcile-interval'])('%s is quoted by its beginning', (name) => {
    const { pause, complaint } = steered(`konverge.dev/${name}`, 'x'.repeat(100_000))
    expect((pause ?? complaint ?? '').length).toBeLessThan(400)
  })
})

describe('a patch of a status', () => {
  it.each([
    ['{}', '{"__proto__":"x"}'],
    ['{"constructor":"x"}', '{}'],
    ['{"toString":"x","kept":"y"}', '{"kept":"y"}'],
    ['{"__proto__":{"a":"b"}}', '{"__proto__":{"a":"c"}}'],
  ])('leads from %s to %s', (before, after) => {
    const patch = mergePatchBetween(JSON.parse(before), JSON.parse(after))
    expect(JSON.stringify(applyMergePatch(JSON.parse(before), patch ?? {}))).toBe(after)
  })
})

it('reads a cause without a text form as empty', () => {
  const causes = [{ reason: [{ toString: '' }], message: { valueOf: 1, toString: 1 }, field: 'spec' }]
  const error = kubeErrorOf({ attempt: 'get', httpStatus: 422, body: { details: { causes } } })
  expect(error.causes).toEqual([{ reason: '', message: '', field: 'spec' }])
})

it('truncates a message of a server', () => {
  const error = kubeErrorOf({ attempt: 'get', httpStatus: 500, body: { message: 'x'.repeat(1_000_000) } })
  expect(error.message).toHaveLength(8_192)
  expect(new CodedError({ code: 'A', message: `${'x'.repeat(8_190)}😀x`, remedy: 'stop' }).message.isWellFormed()).toBe(
    true,
  )
})

describe('a response of a database server', () => {
  it.each(['', 'null', '[', '{"a":'])('%j: is rejected with a coded error, or is nothing', (text) => {
    for (const read of [publisherFacts, subscriberFacts]) expect(() => read(text)).toThrow(stopped)
    for (const read of [shapeIn, leftoversIn, followedIn])
      if (text !== 'null') expect(() => read(text)).toThrow(stopped)
  })

  it('with an unknown state of a step is rejected with a coded error', () => {
    expect(() => markIn({ name: 'a', state: "'" })).toThrow(stopped)
  })

  it('with a comment that is no text is no mark', () => {
    expect(tokenIn(0 as unknown as string)).toBeUndefined()
    expect(publisherFacts('{"login":{"comment":0},"publication":null,"slot":null}')).toMatchObject({ login: {} })
  })

  it('with a column name without a text form reads an empty name', () => {
    expect(shapeIn('{"columns":[{"name":{"toString":1}}]}')?.columns).toMatchObject([{ name: '' }])
  })
})

it.each(['', 'has spaces', '1st', 'a\nb', 'é', '\u001b[31m', 'x'.repeat(2_000)])(
  'turns the reason %j of a condition into one that the API server accepts',
  (reason) => {
    const claims = [{ type: 'Ready', status: 'False', reason, message: '' }] as const
    const [condition] = mergeConditions({ previous: [], claims, observedGeneration: 1, now: '2026-01-01T00:00:00Z' })
    expect(condition?.reason).toMatch(/^[A-Za-z][A-Za-z0-9]{0,1023}$/)
  },
)

it('writes no control character of a terminal to the log', () => {
  const lines: string[] = []
  const log = createLogger({ clock: systemClock, destination: { write: (line) => void lines.push(line) } })
  const hostile = '\u007f\u0085\u009b2J\u2028\u2029\n\u001b'
  log.info({ [hostile]: hostile, err: Object.assign(new Error(hostile), { code: hostile, name: hostile }) }, hostile)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: These are what is looked for.
  expect(lines.join('')).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*\n$/)
  expect(JSON.parse(lines.join(''))).toMatchObject({ msg: '\\u007f\\u0085\\u009b2J\\u2028\\u2029\n\u001b' })
})

it('redacts a secret at the end of a long message of a store', () => {
  const message = `${'x'.repeat(490)}hunter2-hunter2-hunter2`
  const thrown = Object.assign(new Error(message), { name: 'Weird', $metadata: { httpStatusCode: 400 } })
  const failure = s3Failure(thrown, { attempt: 'store a', place: 's3://b', secrets: ['hunter2-hunter2-hunter2'] })
  expect(failure?.message).not.toContain('hunter2')
})
