import { describe, expect, it } from 'vitest'
import { childNamed } from '../../src/apply/child-named.ts'
import { Namespace, Secret, StatefulSet } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'

const child = (apiVersion: string, kind: string, name: string, namespace?: string): LiveObject =>
  ({ apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } }) as LiveObject // Partial.
const object = { metadata: { name: 'shop', namespace: 'team-a' } }
const own = child('v1', 'Secret', 'shop', 'team-a')
const remote = child('v1', 'Secret', 'shop', 'team-b')
const set = child('apps/v1', 'StatefulSet', 'shop', 'team-a')
const scope = child('v1', 'Namespace', 'shop')

describe('a child', () => {
  it.each([
    ['in the namespace of the parent, before one elsewhere', [remote, own], [Secret, 'shop'], own],
    ['not by its name alone', [remote], [Secret, 'shop'], undefined],
    ['not by its kind alone', [child('v1', 'Secret', 'other', 'team-a')], [Secret, 'shop'], undefined],
    ['not of another group', [child('example.com/v1', 'Secret', 'shop', 'team-a')], [Secret, 'shop'], undefined],
    ['of another version', [child('apps/v1beta1', 'StatefulSet', 'shop', 'team-a')], [StatefulSet, 'shop'], 0],
    ['elsewhere where that is named', [own, remote], [Secret, 'shop', 'team-b'], remote],
    ['without a namespace', [set, scope], [Namespace, 'shop'], scope],
  ] as const)('is found %s', (_, children, [resource, name, namespace], expected) => {
    const found = childNamed({ object, children }, resource, name, namespace)
    expect(found).toBe(expected === 0 ? children[0] : expected)
  })

  it('is found with its readiness', () => {
    const children = [own, set].map((one) => ({
      object: one,
      readiness: { kind: 'ready', reason: 'Ready', message: '' } as const,
    }))
    expect(childNamed({ object, children }, StatefulSet, 'shop')).toBe(children[1])
  })
})
