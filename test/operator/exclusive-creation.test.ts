// Concurrent creation: two operators, or two controllers of one operator, declare a child with the same name, also
// cluster-scoped. Requests take time, so that both decide to create before either has.
import { ApiObject } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom, seededSecrets } from '../../src/base/random.ts'
import { Secret } from '../../src/object/built-in.ts'
import { defineResource } from '../../src/object/resource.ts'
import { Operator } from '../../src/operator/operator.ts'
import { type Controller, defineController } from '../../src/reconcile/definition.ts'
import { HealthRegistry } from '../../src/telemetry/health.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { Banner, definitionOf, Shop } from '../reconcile/sharing-controllers.ts'
import { secretText } from '../taint/secret-text.ts'

const Palette = defineResource({
  ...{ group: 'example.com', version: 'v1', kind: 'Palette', plural: 'palettes', scope: 'Cluster' },
})
const pairs = Array.from({ length: 20 }, (_, at) => `p${at}`)

const controllerOf = (resource: typeof Shop, child: 'Secret' | 'Palette') =>
  defineController(resource, {
    owns: [Secret, { resource: Palette, hasStatus: false }],
    desired: (chart, { object: { metadata, kind } }) => {
      const name = `of-${metadata.name}`
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { owner: secretText(kind) } }
      const palette = { apiVersion: 'example.com/v1', kind: 'Palette', metadata: { name }, spec: { owner: kind } }
      new ApiObject(chart, 'child', child === 'Secret' ? secret : palette)
    },
    status: () => ({ fields: {}, conditions: [] }),
  })

/** Runs as many concurrent reconciles as there are resources. */
function run(cluster: TestCluster, name: string, controllers: readonly Controller[]): AbortController {
  const stop = new AbortController()
  const operator = new Operator({
    name,
    clock: cluster.clock,
    random: seededRandom(1),
    secrets: seededSecrets(1),
    instruments: silentInstruments,
    client: cluster.clientOf(name),
    health: new HealthRegistry(),
    maxConcurrent: 50,
    controllers,
  })
  void operator.run(stop.signal).catch(() => {})
  return stop
}

describe.each([
  ['Secret', 'two operators'],
  ['Secret', 'two controllers of one operator'],
  ['Palette', 'two operators'],
  ['Palette', 'two controllers of one operator'],
] as const)('a %s that parents of %s declare at the same moment', (child, who) => {
  it('keeps the creator’s declaration, and the other parent reports ConflictingOwner', async () => {
    await using cluster = await startCluster({ definitions: [Shop, Banner, Palette].map(definitionOf) })
    const [shops, banners] = [controllerOf(Shop, child), controllerOf(Banner, child)]
    const stops =
      who === 'two operators'
        ? [run(cluster, 'shops', [shops]), run(cluster, 'banners', [banners])]
        : [run(cluster, 'both', [shops, banners])]
    await cluster.advance(5_000)
    for (const resource of ['secrets', 'palettes'])
      cluster.faults.add({ fault: { kind: 'latency', ms: 100 }, on: { resource } })
    for (const name of pairs)
      for (const kind of [Shop, Banner]) await cluster.create(kind, { metadata: { name }, spec: { text: '' } })
    await cluster.advance(120_000)
    for (const stop of stops) stop.abort()
    await cluster.advance(15_000)
    const later = cluster.server.log
      .entriesAfter(1)
      .filter(({ kind, place }) => kind !== 'created' && /^(secrets|palettes)/.test(place.shelf))
    expect(later.map(({ kind, place }) => `${kind} ${place.shelf}`)).toEqual([])
    for (const name of pairs) {
      const found = await Promise.all([Shop, Banner].map((kind) => cluster.condition(kind, name, 'Degraded')))
      expect(
        found.map((condition) => condition?.reason),
        name,
      ).toContain('ConflictingOwner')
    }
  })
})
