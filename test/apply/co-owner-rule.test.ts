import { describe, expect, it } from 'vitest'
import {
  deletePreconditions,
  departureOf,
  departurePatch,
  emptyPart,
  fieldConflict,
  isLastOwner,
  mayJoin,
  partManagersOf,
} from '../../src/apply/co-owner-rule.ts'
import { applyJsonPatch } from '../../src/base/json-patch.ts'
import { coOwnersOf } from '../../src/object/co-owner.ts'
import { asJson, type LiveObject } from '../../src/object/object.ts'
import { live } from '../objects.ts'

const reference = (uid: string) => ({ apiVersion: 'v1', kind: 'Site', name: `site-${uid}`, uid })
const managedBy = { 'konverge.dev/managed-by': 'shop' }
const owner = (uid: string): LiveObject => live({ kind: 'Site', metadata: { name: `site-${uid}`, uid } })
/** With the owners of these uids; `metadata` has the last word. */
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
    expect(partManagersOf(owned(['a', 'b']), owner('a'))).toEqual(['shop/sites.example.com+owner-a'])
  })

  it('deletes this version alone, so that an owner that joins meanwhile keeps the object', () => {
    expect(deletePreconditions(owned(['a']))).toEqual({ uid: 'u', resourceVersion: '7' })
    expect(deletePreconditions(live({ metadata: { uid: 'u' } }))).toEqual({ uid: 'u' })
  })

  it('takes off the reference and the marks that no record of its own removes', () => {
    const object = owned(['a', 'b'], { managedFields: [] })
    const patch = departurePatch(object, owner('a')) ?? []
    expect(applyJsonPatch(asJson(object), patch)).toEqual(asJson(owned(['b'], { managedFields: [] })))
    expect(departurePatch(owned(['b']), owner('a'))).toBeUndefined()
  })
})

describe('a field that another manager has otherwise', () => {
  const claim = (manager: string) => ({ manager, fields: ['data.x'] })

  it('stays with an owner, whose name the message has', () => {
    const error = fieldConflict(owned(['a', 'b']), [claim('kubectl-edit'), claim('shop/sites.example.com+owner-b')])
    expect(error).toMatchObject({ code: 'FieldConflict', remedy: 'retry' })
    expect(error?.message).toContain('declares data.x otherwise than Site site-b; declare the same values')
  })

  it('is named with its manager when the owner is gone', () => {
    const error = fieldConflict(owned(['a']), [claim('shop/sites.example.com+owner-b')])
    expect(error?.message).toContain('otherwise than shop/sites.example.com+owner-b;')
  })

  it('is no conflict with a manager that is no owner', () => {
    expect(fieldConflict(owned(['a']), [claim('kubectl-edit'), claim('shop/sites.example.com')])).toBeUndefined()
  })
})
