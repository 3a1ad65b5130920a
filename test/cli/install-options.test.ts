import { describe, expect, it } from 'vitest'
import { type InstallFlags, installPropsOf } from '../../src/cli/install-options.ts'
import type { OperatorSettings } from '../../src/cli/program.ts'
import {
  ConfigMap,
  Deployment,
  defineController,
  Pod,
  type PolicyRule,
  type Runnable,
  Secret,
} from '../../src/index.ts'

const controllers = [defineController(ConfigMap, { owns: [Secret], desired: () => {} })]
const program = { name: 'pages', version: '1.0.0', controllers, image: 'registry.example/pages:1' }
const propsOf = (given: Partial<InstallFlags>, settings: OperatorSettings = {}) =>
  installPropsOf({ name: 'pages', controllers: [], ...given }, { program, flags: {}, settings, controllers })
const verbsOf = (rules: readonly PolicyRule[], resource: string) =>
  rules.find(({ resources }) => resources.includes(resource))?.verbs
const report: Runnable = { name: 'report', rights: [{ resource: Pod, verbs: ['list'] }], run: async () => {} }

describe('the rights of an installed operator', () => {
  it('include those of runnables and of the program', () => {
    const rights = [{ resource: Deployment, subresource: 'scale', verbs: ['get', 'patch'] }] as const
    const { namespaced } = propsOf({}, { runnables: [report], rights }).rules as { namespaced: readonly PolicyRule[] }
    expect(verbsOf(namespaced, 'pods')).toEqual(['list'])
    expect(verbsOf(namespaced, 'deployments/scale')).toEqual(['get', 'patch'])
    expect(verbsOf((propsOf({}).rules as { namespaced: readonly PolicyRule[] }).namespaced, 'pods')).toBeUndefined()
  })

  it.each<[string, Partial<InstallFlags>, OperatorSettings, object]>([
    ['that of a leader', {}, {}, { resourceNames: ['pages'], verbs: ['get', 'patch'] }],
    ['named by the program', {}, { leaderElection: { leaseName: 'book' } }, { resourceNames: ['book'] }],
    ['of a named shard', { shard: 'eu' }, {}, { resourceNames: ['pages-eu'] }],
    ['of members', { shardByHash: true }, {}, { verbs: ['get', 'list', 'create', 'patch', 'delete'] }],
    [
      'of members, as the program says',
      {},
      { sharding: { kind: 'hash' } },
      { verbs: expect.arrayContaining(['list']) },
    ],
  ])('are for the Lease %s', (_, given, settings, rule) => {
    expect(propsOf(given, settings).rules.home).toContainEqual(expect.objectContaining(rule))
  })
})

describe('the pods of an installed operator', () => {
  it.each([
    ['$(KUBERNETES_SERVICE_HOST)', '$$(KUBERNETES_SERVICE_HOST)'],
    ['a$$(B)$', 'a$$$$(B)$$'],
    ['plain', 'plain'],
  ])('get the value %j of a flag unchanged', (value, argument) => {
    const flags = [{ flag: '--domain <name>', text: 'the domain' }]
    const installed = { program: { ...program, flags }, flags: { domain: value }, settings: {}, controllers }
    const { args } = installPropsOf({ name: 'pages', controllers: [] }, installed)
    expect(args?.at(-1)).toBe(`--domain=${argument}`)
  })

  it.each<[Partial<InstallFlags>, OperatorSettings, readonly string[]]>([
    [{}, {}, ['--namespaces=default', '--metrics=protected']],
    [{ shardByHash: true }, {}, ['--namespaces=default', '--shard-by-hash', '--metrics=protected']],
    [{}, { sharding: { kind: 'hash' } }, ['--namespaces=default', '--metrics=protected']],
    [
      { shard: 'eu', selector: 'region=eu', allNamespaces: true },
      {},
      ['--selector=region=eu', '--shard=eu', '--metrics=protected'],
    ],
    [{}, { namespaces: ['a', 'b'], metrics: { kind: 'off' } }, ['--namespaces=a,b', '--metrics=off']],
    [
      {},
      { http: { host: '127.0.0.1', port: 9 } },
      ['--namespaces=default', '--metrics=protected', '--http-host=0.0.0.0', '--http-port=8080'],
    ],
  ])('with %j and %j run with %j', (given, settings, args) => {
    expect(propsOf(given, settings).args).toEqual(['run', ...args])
  })

  it('serve metrics on the port of the program', () => {
    expect(propsOf({}, { metrics: { kind: 'protected', host: '0.0.0.0', port: 9 } }).metricsPort).toBe(9)
    expect(
      propsOf({ metrics: 'loopback' }, { metrics: { kind: 'protected', host: '0.0.0.0', port: 9 } }),
    ).not.toHaveProperty('metricsPort')
  })

  it('have a grace period for their reconciles', () => {
    expect(propsOf({}, { gracefulShutdownMs: 10_000 })).not.toHaveProperty('terminationGracePeriodSeconds')
    expect(propsOf({}, { gracefulShutdownMs: 60_000 }).terminationGracePeriodSeconds).toBe(68)
  })

  it('are two, or one if the program elects no leader', () => {
    const alone = { leaderElection: { enabled: false } }
    expect([propsOf({}).replicas, propsOf({}, alone).replicas, propsOf({ replicas: 5 }).replicas]).toEqual([2, 1, 5])
    expect(() => propsOf({ replicas: 2 }, alone)).toThrow(/the program elects no leader, and 2 pods would work at once/)
  })
})

describe('an installation is rejected', () => {
  it.each<[string, Partial<InstallFlags>, OperatorSettings, RegExp]>([
    ['two ways of sharding', { shard: 'eu', shardByHash: true }, {}, /exclude each other/],
    ['a shard of everything', { shard: 'eu', allNamespaces: true }, {}, /the shard 'eu' selects all resources/],
    ['a shard of no name', { shard: 'EU' }, {}, /a shard cannot be called 'EU'/],
    ['runnables without a leader', { shardByHash: true }, { runnables: [report] }, /runnables run where the leader is/],
    [
      'more namespaces than the program has',
      { allNamespaces: true },
      { namespaces: ['a'] },
      /the program serves a only/,
    ],
  ])('with %s', (_, given, settings, message) => {
    expect(() => propsOf(given, settings)).toThrow(message)
  })
})
