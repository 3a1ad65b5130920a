import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { retain } from '../../src/synth/field-policies.ts'
import { applySetId, withoutMembership } from '../../src/synth/membership.ts'
import { labelsProblem } from '../../src/synth/metadata-rules.ts'
import { clusterParent, object, parent, synth } from './fixture.ts'

describe('applySetId', () => {
  it.each([
    { whose: 'a namespaced parent', of: parent, text: 'store.team.ReplicatedKVStore.data.konverge.dev' },
    { whose: 'a cluster-scoped parent', of: clusterParent, text: 'acme..Tenant.data.konverge.dev' },
  ])('is the hash of name, namespace, kind and group of $whose', ({ of, text }) => {
    const id = `applyset-${createHash('sha256').update(text).digest('base64url')}-v1`
    expect(applySetId(of)).toBe(id)
    expect(labelsProblem({ 'applyset.kubernetes.io/part-of': id })).toBeUndefined()
  })

  it('does not depend on the version or the uid', () => {
    const other = { ...parent, apiVersion: 'data.konverge.dev/v1', metadata: { ...parent.metadata, uid: 'another' } }
    expect(applySetId(other)).toBe(applySetId(parent))
  })
})

describe('withoutMembership', () => {
  it('removes the stamped fields and keeps the declared ones', () => {
    const metadata = { name: 'a', labels: { app: 'kv' }, annotations: { note: 'mine' } }
    const [stamped] = synth((chart) => retain(object(chart, 'a', { metadata, data: { k: 'v' } }))).objects
    if (stamped === undefined) throw new Error('one object')
    expect(withoutMembership(stamped.object)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...metadata, namespace: 'team' },
      data: { k: 'v' },
    })
  })

  it('leaves no empty maps', () => {
    const [stamped] = synth((chart) => object(chart, 'a')).objects
    if (stamped === undefined) throw new Error('one object')
    expect(withoutMembership(stamped.object).metadata).toEqual({ name: 'a', namespace: 'team' })
  })
})
