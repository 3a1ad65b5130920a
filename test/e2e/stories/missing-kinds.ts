// Kind whose CRD is installed late, is removed, and no longer exists when its owner is deleted. Runs on every server.
import { ApiObject } from 'cdk8s'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ConfigMap,
  defineController,
  defineResource,
  findCondition,
  type LiveObject,
  type Resource,
  type StatusWithConditions,
  valueAt,
} from '../../../src/index.ts'
import { Hand } from '../hand.ts'
import type { StartStoryServer, StoryOperator, StoryServer } from '../story-server.ts'

const ofShops = { group: 'shops.example.dev', version: 'v1', scope: 'Namespaced' } as const
const namespace = 'shops'
const Shop = defineResource<unknown, StatusWithConditions & { readonly hasFlyers?: boolean }>({
  ...ofShops,
  kind: 'Shop',
  plural: 'shops',
})
const Flyer = defineResource({ ...ofShops, kind: 'Flyer', plural: 'flyers' })

/** Declares a page that depends on a flyer. */
const shops = (optional: boolean) =>
  defineController(Shop, {
    owns: [ConfigMap, { resource: Flyer, hasStatus: false, optional }],
    observe: ({ isAvailable }) => Promise.resolve({ hasFlyers: isAvailable(Flyer) }),
    desired: (chart, { object }) => {
      const { name } = object.metadata
      const page = new ApiObject(chart, 'page', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
      const flyer = { apiVersion: 'shops.example.dev/v1', kind: 'Flyer', metadata: { name } }
      page.addDependency(new ApiObject(chart, 'flyer', flyer))
    },
    status: ({ facts }) => ({ fields: { hasFlyers: facts?.hasFlyers ?? false }, conditions: [] }),
  })

function definitionOf({ group, plural, kind, version, scope }: Resource) {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope, names: { kind, plural, singular: kind.toLowerCase() } },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} }, schema }],
    },
  }
}

export function describeMissingKinds(start: StartStoryServer): void {
  let server: StoryServer
  let hand: Hand
  let operator: StoryOperator | undefined

  const shop = async () => (await hand.find('shop', 'a')) as unknown as LiveObject<unknown, StatusWithConditions>
  const isReady = async (status: string, reason: string) => {
    const ready = findCondition((await shop()).status?.conditions, 'Ready')
    return ready?.status === status && ready.reason === reason
  }
  const hasFlyers = async () => valueAt(await shop(), 'status', 'hasFlyers')
  const isServed = async ({ group, version, plural }: Resource) =>
    (await server.request({ method: 'GET', path: `/apis/${group}/${version}/${plural}` })).status === 200
  const install = async (resource: Resource) => {
    await server.apply(definitionOf(resource))
    await server.until({ what: `${resource.plural} to be served` }, () => isServed(resource))
  }
  const remove = async (kind: string, name: string) => {
    await hand.delete(kind, name)
    await server.until({ what: `the end of ${name}` }, async () => (await hand.find(kind, name)) === undefined)
  }
  const uninstall = ({ plural, group }: Resource) => remove('crd', `${plural}.${group}`)
  const operate = async (optional: boolean) => {
    await operator?.stop()
    operator = await server.startControllers({ controllers: [shops(optional)] })
  }
  const addShop = () =>
    server.apply({ apiVersion: 'shops.example.dev/v1', kind: 'Shop', metadata: { name: 'a', namespace } })

  beforeAll(async () => {
    server = await start()
    hand = new Hand(server, namespace)
    await server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    await install(Shop)
    await operate(true)
    await addShop()
  })
  afterAll(async () => {
    await operator?.stop()
    await hand.delete('namespace', namespace)
    await uninstall(Shop)
    await server.stop()
  })

  describe('a kind whose CRD is not installed', () => {
    it('is left out if it is optional, and used once it is installed', async () => {
      await server.until({ what: 'a to be ready' }, () => isReady('True', 'Settled'))
      expect(await hasFlyers()).toBe(false)
      expect(await hand.find('configmap', 'a')).toBeDefined()
      await install(Flyer)
      await server.until({ what: 'the flyer' }, async () => (await hand.find('flyer', 'a')) !== undefined)
      await server.until({ what: 'a to have flyers' }, async () => (await hasFlyers()) === true)
    })

    it('is released when it is uninstalled', async () => {
      await uninstall(Flyer)
      await server.until({ what: 'a to have no flyers' }, async () => (await hasFlyers()) === false)
      await server.until({ what: 'a to be ready' }, () => isReady('True', 'Settled'))
    })

    it('is named if it is required, once it is uninstalled', async () => {
      await install(Flyer)
      await operate(false)
      await server.until({ what: 'the flyer' }, async () => (await hand.find('flyer', 'a')) !== undefined)
      await uninstall(Flyer)
      await server.until({ what: 'the reason' }, () => isReady('False', 'KindNotInstalled'))
    })

    it('blocks no deletion', async () => {
      await remove('shop', 'a')
      await addShop()
      await install(Flyer)
      await server.until({ what: 'a to be ready' }, () => isReady('True', 'Settled'))
      await operator?.stop()
      operator = undefined
      await uninstall(Flyer)
      operator = await server.startControllers({ controllers: [shops(true)] })
      await remove('shop', 'a')
    })
  })
}
