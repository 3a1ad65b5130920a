// Two kinds for tests of several controllers on one object: a Shop owns a ConfigMap, a Banner contributes a field to
// it.
import { ApiObject } from 'cdk8s'
import { ConfigMap } from '../../src/object/built-in.ts'
import type { StatusWithConditions } from '../../src/object/object.ts'
import { ownerReferenceTo } from '../../src/object/ownership.ts'
import { keyFor } from '../../src/object/ref.ts'
import { defineResource, type Resource } from '../../src/object/resource.ts'
import { type Controller, defineController } from '../../src/reconcile/definition.ts'
import { contribute, coOwn } from '../../src/synth/field-policies.ts'
import { applySetId } from '../../src/synth/membership.ts'
import type { ObjectBody, TestCluster } from '../../src/testing/test-cluster.ts'

export interface TextSpec {
  readonly text: string
}

const group = 'example.com'

function kindNamed(kind: string, of: string = group) {
  const plural = `${kind.toLowerCase()}s`
  return defineResource<TextSpec, StatusWithConditions>({
    ...{ group: of, version: 'v1', kind, plural, scope: 'Namespaced' },
  })
}

export const Shop = kindNamed('Shop')
export const Banner = kindNamed('Banner')
/** The name of its definition has 88 characters. */
export const LongShop = kindNamed('LongNamedShop', `${'very-'.repeat(11)}long.group.example.com`)

/** A CustomResourceDefinition that keeps all fields. */
export function definitionOf({ group, kind, plural, scope }: Resource): ObjectBody {
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope, names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` } },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  }
}

/** Owns the ConfigMap `<name>`, with one line for each word of the text. */
export function shopController(resource: typeof Shop = Shop): Controller {
  return defineController(resource, {
    owns: [ConfigMap],
    desired: (chart, { object: { metadata, spec } }) => {
      const data = Object.fromEntries(spec.text.split(' ').map((word) => [word, 'yes']))
      new ApiObject(chart, 'lines', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: metadata.name }, data })
    },
    status: () => ({ fields: {}, conditions: [] }),
  })
}

/** Contributes its text as `banner` to the ConfigMap of its own name, which another controller owns. */
export const bannerController = defineController(Banner, {
  owns: [],
  watches: [
    {
      resource: ConfigMap,
      contributes: true,
      keysFor: ({ metadata }) => [keyFor(metadata.namespace, metadata.name)],
    },
  ],
  desired: (chart, { object: { metadata, spec } }) => {
    const { name } = metadata
    contribute(
      new ApiObject(chart, 'lines', {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { banner: spec.text } },
      }),
    )
  },
  status: () => ({ fields: {}, conditions: [] }),
})

/** Metadata of konverge before its operators had names. */
export const earlierFinalizer = 'konverge.dev/cleanup'
export const earlierManager = 'konverge'

/**
 * Creates a Shop as an earlier version left it: adopted, and with the ConfigMaps that its text declared then, in its
 * name and in `<name>-old`.
 */
export async function earlierShop(cluster: TestCluster, text: string, then: readonly string[]): Promise<void> {
  const apiVersion = `${Shop.group}/v1`
  const set = applySetId({ apiVersion, kind: 'Shop', metadata: { name: 'a', namespace: 'default' } })
  const shop = await cluster.create(Shop, {
    metadata: {
      name: 'a',
      finalizers: [earlierFinalizer],
      labels: { 'applyset.kubernetes.io/id': set },
      annotations: {
        'applyset.kubernetes.io/tooling': 'konverge/v1',
        'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap',
      },
    },
    spec: { text },
  })
  for (const [wave, name] of ['a', 'a-old'].entries()) {
    const metadata = {
      ...{ name, namespace: 'default', ownerReferences: [ownerReferenceTo(shop)] },
      labels: { 'applyset.kubernetes.io/part-of': set, 'konverge.dev/owned-by': 'shops.example.com' },
      annotations: { 'konverge.dev/apply-order': String(wave) },
    }
    const data = Object.fromEntries(then.map((word) => [word, 'yes']))
    const options = { fieldManager: earlierManager, force: false }
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
    await cluster.client.apply(ConfigMap, object, options, new AbortController().signal)
  }
}

/** Owns a part of the ConfigMap `lines`: one line for each word of the text, as `word` or `word=value`. */
export function partController(resource: typeof Shop, name = 'lines') {
  return defineController(resource, {
    owns: [ConfigMap],
    desired: (chart, { object: { spec } }) => {
      if (spec.text === '') return
      const entries = spec.text.split(' ').map((word) => word.split('=', 2))
      const data = Object.fromEntries(entries.map(([key, value = 'yes']) => [key, value]))
      coOwn(new ApiObject(chart, 'lines', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }))
    },
    status: () => ({ fields: {}, conditions: [] }),
  })
}
