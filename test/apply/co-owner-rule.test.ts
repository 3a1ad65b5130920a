import { describe, expect, it } from 'vitest'
import {
  abandonedParts,
  claimsOfOwners,
  deletePreconditions,
  departureOf,
  departurePatch,
  emptyPart,
  fieldConflict,
  isLastOwner,
  mayJoin,
  partManagersOf,
  partWithout,
} from '../../src/apply/co-owner-rule.ts'
import { applyJsonPatch } from '../../src/base/json-patch.ts'
import { rehashed } from '../../src/diff/applied-hash.ts'
import { coOwnersOf } from '../../src/object/co-owner.ts'
import { asJson, type LiveObject } from '../../src/object/object.ts'
import { live } from '../objects.ts'

const reference = (uid: string) => ({ apiVersion: 'v1', kind: 'Site', name: `site-${uid}`, uid })
const managedBy = { 'konverge.dev/managed-by': 'shop' }
const owner = (uid: string): LiveObject => live({ kind: 'Site', metadata: { name: `site-${uid}`, uid } })
/** Returns an object with the owners of these uids; `metadata` overrides. */
const owned = (uids: readonly string[], metadata: object = {}): LiveObject =>
  live({
    metadata: {
      name: 'together',
      namespace: 'default',
      uid: 'u',
      resourceVersion: '7',
      labels: {
        ...managedBy,
        ...Object.fromEntries(uids.map((uid) => [`owner.konverge.dev/${uid}`, 'sites.example.com'])),
      },
      annotations: Object.fromEntries(uids.map((uid) => [`owner.konverge.dev/${uid}`, '0 hash'])),
      ownerReferences: uids.map(reference),
      managedFields: uids.map((uid) => ({
        manager: `shop/sites.example.com+owner-${uid}`,
        operation: 'Apply',
        apiVersion: 'v1',
      })),
      ...metadata,
    },
  })

describe('the owners of an object', () => {
  it.each([
    ['are those with a reference and a mark', owned(['a', 'b']), ['a', 'b']],
    [
      'are those with a reference and a record, when the marks are gone',
      owned(['a'], { labels: managedBy, annotations: {} }),
      ['a'],
    ],
    ['are none without a reference', owned(['a'], { ownerReferences: [] }), []],
    ['are none without marks and records', owned(['a'], { labels: {}, annotations: {}, managedFields: [] }), []],
    [
      'are none of an object with a controller',
      owned(['a'], { ownerReferences: [{ ...reference('a'), controller: true }] }),
      [],
    ],
  ])('%s', (_, object, uids) => {
    expect(coOwnersOf(object).map(({ uid }) => uid)).toEqual(uids)
  })

  it.each([
    ['has owners of the same operator', owned(['a']), managedBy, true],
    ['has owners of another operator', owned(['a']), { 'konverge.dev/managed-by': 'mall' }, false],
    ['has no owners', live({ metadata: { labels: managedBy } }), managedBy, false],
  ])('may become more when the object %s', (_, object, labels, expected) => {
    expect(mayJoin({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'together', labels } }, object)).toBe(
      expected,
    )
  })
})

describe('an owner that leaves', () => {
  it.each([
    ['releases an object that has another owner', owned(['a', 'b']), 'release'],
    [
      'releases an object that has an owner unknown to konverge',
      owned(['a'], { ownerReferences: [reference('a'), reference('x')] }),
      'release',
    ],
    ['deletes an object without another owner', owned(['a']), 'delete'],
    [
      'deletes an object that it controls',
      live({ metadata: { ownerReferences: [{ ...reference('a'), controller: true }] } }),
      'delete',
    ],
  ])('%s', (_, object, departure) => {
    expect(departureOf(object, owner('a'))).toBe(departure)
    expect(isLastOwner(object, owner('a'))).toBe(departure === 'delete' && coOwnersOf(object).length > 0)
  })

  it('applies nothing, locked to the version', () => {
    const { metadata } = emptyPart(owned(['a', 'b']))
    expect(metadata).toEqual({ name: 'together', namespace: 'default', uid: 'u', resourceVersion: '7' })
    expect(partManagersOf(owned(['a', 'b']), 'a')).toEqual(['shop/sites.example.com+owner-a'])
  })

  it('deletes this version only, so that an owner that joins meanwhile keeps the object', () => {
    expect(deletePreconditions(owned(['a']))).toEqual({ uid: 'u', resourceVersion: '7' })
    expect(deletePreconditions(live({ metadata: { uid: 'u' } }))).toEqual({ uid: 'u' })
  })

  it('removes the reference and the markers that no managedFields entry of its own removes', () => {
    const object = owned(['a', 'b'], { managedFields: [] })
    const patch = departurePatch(object, 'a') ?? []
    expect(applyJsonPatch(asJson(object), patch)).toEqual(asJson(owned(['b'], { managedFields: [] })))
    expect(departurePatch(owned(['b']), 'a')).toBeUndefined()
  })
})

describe('a field that another manager set to another value', () => {
  const managerOf = (uid: string, operator = 'shop') => `${operator}/sites.example.com+owner-${uid}`
  const claim = (manager: string, ...fields: readonly string[]) => ({ manager, shown: manager, fields })
  const declaredBy = (uid: string, data: Record<string, string>) =>
    rehashed({
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: {
        ...{ name: 'together', ownerReferences: [reference(uid)] },
        annotations: { [`owner.konverge.dev/${uid}`]: '0' },
      },
      data,
    })
  const declared = declaredBy('a', { x: '1', y: '2' })
  const part = (live: LiveObject) => ({ declared, live, manager: managerOf('a') })

  it.each([
    ['an owner', owned(['a', 'b']), managerOf('b'), true],
    ['an owner under another controller', owned(['a', 'b']), 'shop/banners.example.com+owner-b', true],
    ['an owner that is gone', owned(['a']), managerOf('b'), false],
    ['the manager of an owner of another operator', owned(['a', 'b']), managerOf('b', 'mall'), false],
    ['a manager that is no owner', owned(['a', 'b']), 'kubectl-edit', false],
    ['the manager of a child', owned(['a', 'b']), 'shop/sites.example.com', false],
    [
      'an owner, where this very part was applied before',
      owned(['a', 'b'], { annotations: declared.metadata.annotations }),
      managerOf('b'),
      false,
    ],
  ])('is judged by its manager: %s', (_, live, manager, isKept) => {
    const claims = [claim(manager, 'data.x')]
    expect(claimsOfOwners(part(live), claims)).toEqual(isKept ? claims : [])
  })

  it('is left out of the part, and the hash is that of the rest', () => {
    expect(partWithout(declared, [claim(managerOf('b'), 'data.x')])).toEqual(declaredBy('a', { y: '2' }))
  })

  it('is named in the rejection, with the owner that keeps it', () => {
    const error = fieldConflict(part(owned(['a', 'b'])), [claim(managerOf('b'), 'data.x')])
    expect(error).toMatchObject({ code: 'FieldConflict', remedy: 'retry' })
    expect(error.message).toContain('declares data.x otherwise than Site site-b; declare the same values')
  })

  it('may belong to another controller of the same resource', () => {
    const error = fieldConflict(part(owned(['a'])), [claim('shop/sites.example.com_audit+owner-a', 'data.x')])
    expect(error.message).toContain('is owned through another controller of the same resource')
  })
})

describe('a part of an owner that is gone', () => {
  it.each([
    ['is none while the owner has a reference', owned(['a', 'b']), []],
    ['is known by record and marks', owned(['a', 'b'], { ownerReferences: [reference('a')] }), ['b']],
    ['is known by its marks', owned(['a', 'b'], { ownerReferences: [reference('a')], managedFields: [] }), ['b']],
    [
      'is known by its record',
      owned(['a', 'b'], { ownerReferences: [reference('a')], labels: managedBy, annotations: {} }),
      ['b'],
    ],
    [
      'is none of another operator',
      owned(['a'], { managedFields: [{ manager: 'mall/sites.example.com+owner-z', operation: 'Apply' }] }),
      [],
    ],
  ])('%s', (_, live, uids) => {
    expect(abandonedParts(live, 'shop/sites.example.com+owner-a')).toEqual(uids)
  })
})
