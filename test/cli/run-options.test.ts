import { describe, expect, it } from 'vitest'
import type { MetricsKind } from '../../src/cli/metrics-option.ts'
import type { OperatorSettings } from '../../src/cli/program.ts'
import { type RunFlags, runOptionsOf } from '../../src/cli/run-options.ts'
import type { Runnable } from '../../src/index.ts'

const output = { write: () => {} }
const base = { controllers: [], environment: {}, output, userAgent: 'websites/1.0.0' }
const certificate = { cert: 'cert', key: 'key' }
const report: Runnable = { name: 'report', run: async () => {} }
const optionsOf = (flags: Partial<RunFlags>, settings: OperatorSettings = {}, shown?: typeof certificate) =>
  runOptionsOf(base, { flags: { name: 'websites', ...flags }, settings, ...(shown && { certificate: shown }) })

describe('options of an operator that run starts', () => {
  it('have the program’s settings without a flag', () => {
    const settings = {
      runnables: [report],
      clusters: { edge: { kubeconfig: 'edge' } },
      requestRate: { perSecond: 5, burst: 5 },
      reconcileRate: { perSecond: 6, burst: 6 },
      connections: 7,
      gracefulShutdownMs: 8,
      maxConcurrent: 9,
      logLevel: 'warn',
      labelSelector: 'a=b',
      namespaces: ['shop'],
    } as const
    expect(optionsOf({}, settings)).toMatchObject({ ...base, ...settings, name: 'websites' })
    const flags = { maxConcurrent: 3, logLevel: 'debug', selector: 'c=d', namespaces: ['games'] }
    expect(optionsOf(flags, settings)).toMatchObject({
      ...{ maxConcurrent: 3, logLevel: 'debug', labelSelector: 'c=d', namespaces: ['games'] },
      ...{ runnables: [report], connections: 7 },
    })
  })

  it('override settings that the command line decides', () => {
    // A program in JavaScript can pass more than the types allow.
    const settings = { name: 'other', userAgent: 'other', output: undefined } as OperatorSettings
    expect(optionsOf({}, settings)).toMatchObject({ name: 'websites', userAgent: 'websites/1.0.0', output })
  })

  it.each<[Partial<RunFlags>, OperatorSettings['sharding'], OperatorSettings['sharding']]>([
    [{}, undefined, undefined],
    [{}, { kind: 'hash', handOverMs: 9 }, { kind: 'hash', handOverMs: 9 }],
    [{ shardByHash: true }, { kind: 'hash', handOverMs: 9 }, { kind: 'hash', handOverMs: 9 }],
    [{ shardByHash: true }, { kind: 'selection', name: 'eu' }, { kind: 'hash' }],
    [{ shard: 'us' }, { kind: 'selection', name: 'eu' }, { kind: 'selection', name: 'us' }],
    [{ shard: 'us' }, undefined, { kind: 'selection', name: 'us' }],
  ])('with the flags %j and sharding %j have the sharding %j', (flags, sharding, wanted) => {
    expect(optionsOf(flags, { sharding }).sharding).toEqual(wanted)
  })

  it('have only one kind of sharding', () => {
    expect(() => optionsOf({ shard: 'eu', shardByHash: true })).toThrow(
      /--shard and --shard-by-hash exclude each other/,
    )
  })

  it('merge flags of the Lease with the settings', () => {
    const leaderElection = { leaseNamespace: 'a', leaseName: 'b' }
    expect(optionsOf({ leaseName: 'c', leaseDuration: 9_000 }, { leaderElection }).leaderElection).toEqual({
      ...{ leaseNamespace: 'a', leaseName: 'c', leaseDurationMs: 9_000 },
    })
  })

  it.each<[Partial<RunFlags>, OperatorSettings['http'], OperatorSettings['http']]>([
    [{}, undefined, undefined],
    [{}, 'off', 'off'],
    [{ httpPort: 0 }, 'off', { host: '0.0.0.0', port: 0 }],
    [{ httpHost: '::1' }, { host: '0.0.0.0', port: 9 }, { host: '::1', port: 9 }],
  ])('with the flags %j and http %j listen at %j', (flags, http, wanted) => {
    expect(optionsOf(flags, { http }).http).toEqual(wanted)
  })

  const own = { kind: 'protected', host: '::1', port: 9, certificate } as const
  it.each<[Partial<RunFlags>, OperatorSettings['metrics'], OperatorSettings['metrics']]>([
    [{}, undefined, undefined],
    [{}, own, own],
    [{ metrics: 'protected' }, own, own],
    [{ metrics: 'protected', metricsPort: 7 }, own, { ...own, port: 7 }],
    [{ metrics: 'loopback' }, own, { kind: 'loopback' }],
    [{ metrics: 'open' }, own, { kind: 'open' }],
    [{ metrics: 'protected' }, undefined, { kind: 'protected', host: '0.0.0.0', port: 8443 }],
  ])('with the flags %j and metrics %j serve %j', (flags, metrics, wanted) => {
    expect(optionsOf(flags, { metrics }).metrics).toEqual(wanted)
  })

  it.each<[MetricsKind, OperatorSettings['metrics']]>([
    ['open', { kind: 'open', host: '0.0.0.0', port: 8443, certificate }],
    ['protected', { kind: 'protected', host: '0.0.0.0', port: 8443, certificate }],
    ['off', { kind: 'off' }],
  ])('serve metrics of kind %s with the given certificate', (metrics, wanted) => {
    expect(optionsOf({ metrics }, {}, certificate).metrics).toEqual(wanted)
  })
})
