// Differences between the privileges of PUBLIC. Each difference is an actionable phrase.
import { describe, expect, it } from 'vitest'
import {
  type PublicDefault,
  type PublicRight,
  type PublicRights,
  publicDefaultChanges,
  publicRightsDifference,
  publicRightsToSet,
  rightsKnownTo,
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

describe("the difference of PUBLIC's privileges", () => {
  it.each(cases)('names $what', ({ saved, restored, told }) => {
    expect(publicRightsDifference(rights(saved), rights(restored))).toEqual(told)
  })

  it('leaves out default privileges, which no object has yet', () => {
    const defaults = [{ on: 'Function', schema: '', privileges: [] }] as const
    expect(publicRightsDifference({ objects: [pay], defaults }, rights([pay]))).toEqual([])
  })
})

describe("the changes of PUBLIC's privileges", () => {
  const usage = { on: 'Schema', schema: '', name: 'x', privileges: ['USAGE'] } as const
  it.each<readonly [string, readonly PublicRight[], readonly PublicRight[], readonly PublicRight[]]>([
    ['not where it is so', [pay, seen], [seen, pay], []],
    ['where it is as PostgreSQL gives it', [pay, seen], [], [pay, seen]],
    ['where something was given that was taken', [], [usage], [{ ...usage, privileges: [] }]],
    [
      'as PostgreSQL gives it, where nothing was saved',
      [],
      [pay, { ...usage, name: 'public', privileges: [] }],
      [
        { ...pay, privileges: ['EXECUTE'] },
        { ...usage, name: 'public' },
      ],
    ],
    ['with all columns behind their table', [pay], [seen], [{ ...seen, privileges: [] }, pay]],
  ])('%s', (_, saved, found, set) => {
    expect(publicRightsToSet(rights(saved), rights(found))).toEqual(set)
  })

  const schema = { ...usage, name: 'public', privileges: [] }
  const upkept = { ...seen, privileges: ['MAINTAIN', 'SELECT'] }
  const upkeep = { ...seen, name: 'kept', privileges: ['MAINTAIN'] }
  it.each<readonly [number, readonly PublicRight[]]>([
    [14, [{ ...upkept, privileges: ['SELECT'] }, pay]],
    [16, [schema, { ...upkept, privileges: ['SELECT'] }, pay]],
    [17, [schema, upkept, upkeep, pay]],
  ])('are limited to what a server of %i knows', (version, known) => {
    expect(rightsKnownTo(version, rights([schema, upkept, upkeep, pay]))).toEqual(rights(known))
  })
})

describe('the default privileges of PUBLIC', () => {
  const all = { on: 'Function', schema: '', privileges: [] } as const
  const forged = { ...all, kind: 'createRole', role: 'mallory', attributes: {} }
  it.each<readonly [string, readonly PublicDefault[], readonly string[]]>([
    ['what was taken', [{ ...all, on: 'Type' }, all], ['Function', 'Type']],
    ['nothing twice', [all, all], ['Function']],
    ['nothing of what was given', [{ on: 'Table', schema: '', privileges: ['SELECT'] }], []],
    ['nothing of what was given in a schema', [{ ...all, schema: 's', privileges: ['EXECUTE'] }], []],
    ['nothing else, whatever stands there', [forged], ['Function']],
  ])('are restored %s', (_, defaults, taken) => {
    expect(publicDefaultChanges('o', { objects: [], defaults })).toEqual(
      taken.map((on) => ({ kind: 'takePublicDefault', role: 'o', on })),
    )
  })

  it('are absent from an older manifest', () => {
    expect(publicDefaultChanges('o', undefined)).toEqual([])
  })
})
