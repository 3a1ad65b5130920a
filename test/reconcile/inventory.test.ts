import { describe, expect, it } from 'vitest'
import { ConfigMap, Deployment, Service } from '../../src/object/built-in.ts'
import { inventoryOf } from '../../src/reconcile/inventory.ts'
import { labelsProblem } from '../../src/synth/metadata-rules.ts'
import { live } from '../objects.ts'
import { siteController } from './life.ts'

const site = (name: string, namespace = 'default', uid = 'u') =>
  live({ apiVersion: 'example.dev/v1', kind: 'Site', metadata: { name, namespace, uid } })
const idOf = (parent: ReturnType<typeof site>) => inventoryOf(parent, siteController()).labels

describe('the inventory of a parent', () => {
  it('names the kinds of its children in ApplySet form, sorted, in whatever order they are declared', () => {
    for (const owns of [
      [Service, Deployment, ConfigMap],
      [Deployment, ConfigMap, Service],
    ])
      expect(inventoryOf(site('a'), siteController({ owns })).annotations).toEqual({
        'applyset.kubernetes.io/tooling': 'konverge/v1',
        'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap,Deployment.apps,Service',
      })
  })

  it('has an id that follows from name and namespace, and is a valid label', () => {
    const labels = idOf(site('a'))
    expect(labels).toEqual(idOf(site('a', 'default', 'another uid')))
    expect(labelsProblem(labels)).toBeUndefined()
    for (const other of [site('b'), site('a', 'elsewhere')]) expect(idOf(other)).not.toEqual(labels)
  })
})
