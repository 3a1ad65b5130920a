// Two kinds that refer to each other across namespaces. A Guest names a House in any namespace and a Secret in its own.
// Its badge, a child Secret, contains values of both. The controller of Guests watches whole Houses, and only the
// metadata of Secrets.
import { ApiObject } from 'cdk8s'
import {
  type Controller,
  defineController,
  defineResource,
  type LiveObject,
  Secret,
  type StatusWithConditions,
  valueAt,
} from '../../src/index.ts'
import { Hand } from './hand.ts'
import type { StoryServer } from './story-server.ts'

export const nearNamespace = 'visits-near'
export const farNamespace = 'visits-far'

const group = 'visits.example.dev'

interface GuestSpec {
  readonly house: { readonly namespace: string; readonly name: string }
  /** Name of a Secret in the Guest's namespace. */
  readonly key: string
}

interface GuestFacts {
  readonly color: string
  /** Base64, as in the Secret. */
  readonly word: string
}

const of = <Spec, Status>(kind: string, plural: string) =>
  defineResource<Spec, Status>({ group, version: 'v1', kind, plural, scope: 'Namespaced' })
const Guest = of<GuestSpec, StatusWithConditions>('Guest', 'guests')
const House = of<{ readonly color: string }, unknown>('House', 'houses')

/** Record of the controller of Guests, for a test. */
export interface Visits {
  /** `namespace/name` of each started reconcile. */
  readonly turns: string[]
  /** Secrets that the metadata watch delivered, as the cache holds them. */
  readonly held: LiveObject[]
}

export function guests({ turns, held }: Visits): Controller {
  return defineController<GuestSpec, StatusWithConditions, GuestFacts>(Guest, {
    owns: [Secret],
    watches: [
      {
        resource: House,
        keysFor: ({ metadata: { namespace, name } }, lookup) => lookup('house', `${namespace}/${name}`),
      },
      {
        resource: Secret,
        metadataOnly: true,
        keysFor: (secret, lookup) => {
          held.push(secret)
          return lookup('key', `${secret.metadata.namespace}/${secret.metadata.name}`)
        },
      },
    ],
    reads: [Secret],
    indexes: {
      house: ({ spec: { house } }) => [`${house.namespace}/${house.name}`],
      key: ({ metadata, spec }) => [`${metadata.namespace}/${spec.key}`],
    },
    observe: async ({ object: { metadata, spec }, live }) => {
      turns.push(`${metadata.namespace}/${metadata.name}`)
      const [house, key] = await Promise.all([
        live.find(House, spec.house),
        live.find(Secret, { namespace: metadata.namespace, name: spec.key }),
      ])
      const word = key === undefined ? undefined : valueAt(key, 'data', 'word')
      return { color: house?.spec?.color ?? '', word: typeof word === 'string' ? word : '' }
    },
    desired: (chart, { object: { metadata }, facts: { color, word } }) => {
      new ApiObject(chart, 'badge', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `${metadata.name}-badge` },
        data: { word, color: Buffer.from(color).toString('base64') },
      })
    },
    status: () => ({ fields: {}, conditions: [] }),
  })
}

/** Applies the definitions and the two namespaces. */
export async function installVisits(server: StoryServer): Promise<void> {
  const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  const definitions = [Guest, House].map(({ kind, plural }) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  }))
  await server.apply(...definitions, namespace(nearNamespace), namespace(farNamespace))
  for (const { plural } of [Guest, House]) {
    const isServed = async () =>
      (await server.request({ method: 'GET', path: `/apis/${group}/v1/${plural}` })).status === 200
    await server.until({ what: `${plural} to be served` }, isServed)
  }
}

/** Removes the finalizers by hand, because no operator runs any more; then deletes namespaces and definitions. */
export async function removeVisits(server: StoryServer): Promise<void> {
  for (const namespace of [nearNamespace, farNamespace]) {
    const hand = new Hand(server, namespace)
    for (const { metadata } of await hand.list('guest'))
      await hand.patch('guest', metadata.name, { metadata: { finalizers: null } })
    await hand.delete('namespace', namespace)
  }
  const anywhere = new Hand(server, nearNamespace)
  for (const { plural } of [Guest, House]) await anywhere.delete('crd', `${plural}.${group}`)
}

export function houseObject(name: string, color: string) {
  return { apiVersion: `${group}/v1`, kind: 'House', metadata: { namespace: farNamespace, name }, spec: { color } }
}

/** Returns a Guest of a House in the far namespace. */
export function guestObject(namespace: string, name: string, { house, key }: { house: string; key: string }) {
  const spec: GuestSpec = { house: { namespace: farNamespace, name: house }, key }
  return { apiVersion: `${group}/v1`, kind: 'Guest', metadata: { namespace, name }, spec }
}

export function keyObject(namespace: string, name: string, word: string) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, stringData: { word } }
}
