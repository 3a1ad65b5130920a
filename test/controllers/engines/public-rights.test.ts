// Where may everybody do something else than before? Each difference is a phrase that people can act on.
import { describe, expect, it } from 'vitest'
import {
  type PublicDefault,
  type PublicRight,
  type PublicRights,
  publicDefaultChanges,
  publicRightsDifference,
} from '../../../src/controllers/engines/public-rights.ts'

const integer = { schema: 'pg_catalog', name: 'int4', isArray: false }
const pay = { on: 'Function', schema: 'api', name: 'pay', arguments: [integer], privileges: [] } as const
const seen = { on: 'Table', schema: 'api', name: 'Seen', privileges: ['SELECT', 'UPDATE'] } as const

const cases: readonly {
  readonly what: string
  readonly saved: readonly PublicRight[]
  readonly restored: readonly PublicRight[]
  readonly told: readonly string[]
}[] = [
  { what: 'nothing', saved: [pay, seen], restored: [seen, pay], told: [] },
  {
    what: 'what comes back',
    saved: [pay],
    restored: [],
    told: ['PUBLIC has what PostgreSQL gives on function api.pay(pg_catalog.int4) instead of nothing'],
  },
  {
    what: 'what nobody has given',
    saved: [],
    restored: [seen],
    told: ['PUBLIC has SELECT, UPDATE on table api."Seen" instead of what PostgreSQL gives'],
  },
  {
    what: 'more than was given',
    saved: [{ ...seen, privileges: ['SELECT'] }],
    restored: [seen],
    told: ['PUBLIC has SELECT, UPDATE on table api."Seen" instead of SELECT'],
  },
  {
    what: 'a function of the same name',
    saved: [pay],
    restored: [{ ...pay, arguments: [{ ...integer, isArray: true }] }],
    told: [
      'PUBLIC has what PostgreSQL gives on function api.pay(pg_catalog.int4) instead of nothing',
      'PUBLIC has nothing on function api.pay(pg_catalog.int4[]) instead of what PostgreSQL gives',
    ],
  },
  {
    what: 'a schema and a column',
    saved: [{ on: 'Schema', schema: '', name: 'public', privileges: ['CREATE', 'USAGE'] }],
    restored: [{ ...seen, on: 'Column', column: 'a.b', privileges: ['SELECT'] }],
    told: [
      'PUBLIC has what PostgreSQL gives on schema public instead of CREATE, USAGE',
      'PUBLIC has SELECT on column api."Seen"."a.b" instead of what PostgreSQL gives',
    ],
  },
]

const rights = (objects: readonly PublicRight[]): PublicRights => ({ objects, defaults: [] })

describe('of what everybody may do', () => {
  it.each(cases)('it tells $what', ({ saved, restored, told }) => {
    expect(publicRightsDifference(rights(saved), rights(restored))).toEqual(told)
  })

  it('it leaves out what will be made, which nobody has made', () => {
    const defaults = [{ on: 'Function', schema: '', privileges: [] }] as const
    expect(publicRightsDifference({ objects: [pay], defaults }, rights([pay]))).toEqual([])
  })
})

describe('of what will be made', () => {
  const all = { on: 'Function', schema: '', privileges: [] } as const
  const forged = { ...all, kind: 'createRole', role: 'mallory', attributes: {} }
  it.each<readonly [string, readonly PublicDefault[], readonly string[]]>([
    ['what was taken', [{ ...all, on: 'Type' }, all], ['Function', 'Type']],
    ['nothing twice', [all, all], ['Function']],
    ['nothing of what was given', [{ on: 'Table', schema: '', privileges: ['SELECT'] }], []],
    ['nothing of what was given in a schema', [{ ...all, schema: 's', privileges: ['EXECUTE'] }], []],
    ['nothing else, whatever stands there', [forged], ['Function']],
  ])('comes along %s', (_, defaults, taken) => {
    expect(publicDefaultChanges('o', { objects: [], defaults })).toEqual(
      taken.map((on) => ({ kind: 'takePublicDefault', role: 'o', on })),
    )
  })

  it('nothing is said by a manifest of before', () => {
    expect(publicDefaultChanges('o', undefined)).toEqual([])
  })
})
