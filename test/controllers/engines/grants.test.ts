import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DefaultGrant, DesiredGrant, GrantGroup, ObservedGrants } from '../../../src/controllers/engines/grant.ts'
import { type GrantPlan, planGrants } from '../../../src/controllers/engines/grants.ts'
import { atOnce } from './at-once.ts'

const planOf = (wish: DesiredGrant, observed: ObservedGrants) => atOnce(planGrants(wish, observed))

const wish: DesiredGrant = {
  role: 'user',
  database: 'shop',
  access: 'ReadOnly',
  schemas: ['app'],
  grants: [],
  creators: ['owner'],
}

const nothing: ObservedGrants = {
  majorVersion: 18,
  groups: [],
  defaults: [],
  roles: ['user', 'owner'],
  schemas: ['app'],
}

function group(changes: Partial<GrantGroup>): GrantGroup {
  const empty = {
    role: 'user',
    schema: 'app',
    table: '',
    names: ['orders'],
    privileges: [],
    grantable: [],
    isOwner: false,
    isOfExtension: false,
  }
  return { on: 'Table', ...empty, ...changes }
}

describe('a plan of grants', () => {
  it('grants only what is missing, to the role that lacks it', () => {
    const { missing, extra, desired, held } = planOf(wish, {
      ...nothing,
      groups: [
        group({ on: 'Database', schema: '', names: ['shop'], privileges: ['CONNECT'] }),
        group({ on: 'Schema', schema: '', names: ['app'] }),
        group({ names: ['a', 'b'] }),
        group({ names: ['c'], privileges: ['SELECT'] }),
      ],
    })
    const target = { kind: 'grant', role: 'user', table: '' }
    expect(missing).toEqual([
      { ...target, on: 'Schema', schema: '', names: ['app'], privileges: ['USAGE'] },
      { ...target, on: 'Table', schema: 'app', names: ['a', 'b'], privileges: ['SELECT'] },
      { kind: 'grantDefault', role: 'user', creator: 'owner', schema: 'app', on: 'Table', privileges: ['SELECT'] },
      { kind: 'grantDefault', role: 'user', creator: 'owner', schema: 'app', on: 'Sequence', privileges: ['SELECT'] },
    ])
    expect(extra).toEqual([])
    expect({ desired, held }).toEqual({ desired: 5, held: 2 })
  })

  it('revokes nothing from an owner, and grants it nothing', () => {
    const groups = [group({ isOwner: true }), group({ isOwner: true, names: ['mine'], privileges: ['SELECT'] })]
    const plan = planOf({ ...wish, creators: [] }, { ...nothing, groups })
    expect(plan).toMatchObject({ missing: [], extra: [], desired: 2, held: 2 })
  })

  it('leaves out MAINTAIN on versions without it', () => {
    const owner: DesiredGrant = { ...wish, access: 'Owner', creators: [] }
    const of = (majorVersion: number) => planOf(owner, { ...nothing, majorVersion, groups: [group({})] }).missing
    expect(of(16)[0]?.privileges).not.toContain('MAINTAIN')
    expect(of(17)[0]?.privileges).toContain('MAINTAIN')
  })

  it('changes nothing for other roles, and nothing in missing schemas', () => {
    const groups = [group({ role: 'other', privileges: ['DELETE'] })]
    const plan = planOf({ ...wish, schemas: ['gone'] }, { ...nothing, schemas: [], groups })
    expect(plan).toMatchObject({ missing: [], extra: [], notFound: ['schema gone'] })
    const without = planOf(wish, { ...nothing, roles: [] })
    expect(without.notFound).toEqual(['role user', 'role owner'])
  })

  it('grants one function or all of a name', () => {
    const names = ['area(integer)', 'area(text)', 'areas(integer)', '"Odd"(integer)']
    const groups = [group({ on: 'Function', names })]
    const named = (name: string) => {
      const grants = [{ objectType: 'Function', names: [name], privileges: ['EXECUTE'] }] as const
      const plan = planOf({ ...wish, access: 'Custom', creators: [], grants }, { ...nothing, groups })
      return [plan.missing.flatMap((change) => ('names' in change ? change.names : [])), plan.notFound]
    }
    expect(named('area')).toEqual([['area(integer)', 'area(text)'], []])
    expect(named('area(text)')).toEqual([['area(text)'], []])
    expect(named('Odd')).toEqual([['"Odd"(integer)'], []])
    expect(named('odd')).toEqual([[], ['function odd']])
  })

  it('does not split a quoted name', () => {
    const names = ['"Odd ""(name"(integer)', '"f(x"("s"."t(u")']
    const groups = [group({ on: 'Function', names })]
    const named = (name: string) => {
      const grants = [{ objectType: 'Function', names: [name], privileges: ['EXECUTE'] }] as const
      const { missing } = planOf({ ...wish, access: 'Custom', creators: [], grants }, { ...nothing, groups })
      return missing.flatMap((change) => ('names' in change ? change.names : []))
    }
    expect(named('Odd "(name')).toEqual([names[0]])
    expect(named('"Odd ""(name"')).toEqual([names[0]])
    expect(named('"f(x"("s"."t(u")')).toEqual([names[1]])
    expect(['"Odd ""', '"f', 'f', '"f(x"("s"."t'].map(named)).toEqual([[], [], [], []])
  })

  it('adds up the privileges of several names of one function', () => {
    const grants = ['area', 'area(text)'].map((name, at) => ({
      ...{ objectType: 'Function' as const, names: [name], privileges: [['EXECUTE'], ['ALTER SYSTEM']][at] ?? [] },
    }))
    const groups = [group({ on: 'Function', names: ['area(text)', 'area(integer)'] })]
    const { missing } = planOf({ ...wish, access: 'Custom', creators: [], grants }, { ...nothing, groups })
    expect(missing).toMatchObject([
      { names: ['area(text)'], privileges: ['ALTER SYSTEM', 'EXECUTE'] },
      { names: ['area(integer)'], privileges: ['EXECUTE'] },
    ])
  })

  it.each(['Table', 'Sequence', 'Function'] as const)(
    'reads each %s and each name of it a few times, however many others exist',
    (on) => {
      let reads = 0
      const counted = (names: readonly string[]) =>
        new Proxy(names, {
          get: (list, key) => {
            if (typeof key === 'string' && /^[0-9]/.test(key)) reads += 1
            return Reflect.get(list, key)
          },
        })
      const names = Array.from({ length: 1_024 }, (_, at) => `n${at}`)
      const objects = Array.from({ length: 2_000 }, (_, at) => (on === 'Function' ? `g${at}(integer)` : `g${at}`))
      const grants = Array.from({ length: 4 }, (_, at) => ({
        ...{ objectType: on, names: counted(names.slice(at * 256, (at + 1) * 256)), privileges: ['SELECT'] },
      }))
      const groups = ['user', 'owner'].map((role) => group({ role, on, names: counted(objects) }))
      const { notFound } = planOf({ ...wish, access: 'Custom', grants }, { ...nothing, groups })
      expect(notFound).toHaveLength(names.length)
      expect(reads).toBeLessThan(4 * (names.length + 2 * objects.length))
    },
  )

  it('pauses after a few hundred names of the spec and of the server', () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `n${at}(integer)`)
    const grants = [{ objectType: 'Function' as const, names: names.slice(0, 256), privileges: ['EXECUTE'] }]
    const defaults = names.map((schema) => ({
      ...{ role: 'user', creator: 'owner', schema, on: 'Table' as const, privileges: ['SELECT'] },
    }))
    const work = planGrants({ ...wish, grants }, { ...nothing, groups: [group({ on: 'Function', names })], defaults })
    expect([...work].length).toBeGreaterThan((2 * names.length) / 256 - 3)
  })

  it('is empty after it was executed, and the privileges are as desired', () => {
    fc.assert(
      fc.property(anyWish, anyObserved, (some, observed) => {
        const plan = planOf(some, observed)
        const after = carriedOut(observed, plan)
        const again = planOf(some, after)
        expect(again).toMatchObject({ missing: [], extra: [] })
        expect(again.held).toBe(again.desired)
        expect(again.desired).toBe(plan.desired)
        // Privileges of others are unchanged.
        const ofOthers = ({ groups }: ObservedGrants) => groups.filter(({ role }) => role !== 'user')
        expect(ofOthers(after)).toEqual(ofOthers(observed))
      }),
      { numRuns: 3_000 },
    )
  })
})

const privileges: Readonly<Record<'Database' | 'Schema' | 'Table' | 'Sequence' | 'Function', readonly string[]>> = {
  Database: ['CONNECT', 'CREATE', 'TEMPORARY'],
  Schema: ['CREATE', 'USAGE'],
  Table: ['DELETE', 'INSERT', 'SELECT', 'UPDATE', 'TRUNCATE'],
  Sequence: ['SELECT', 'UPDATE', 'USAGE'],
  Function: ['EXECUTE'],
}

const schemas = ['app', 'odd, "schema"']
const objects = ['a', 'b', `"'; --`]
const kind = fc.constantFrom('Database', 'Schema', 'Table', 'Sequence', 'Function')

const anyGrant = kind.chain((on) =>
  fc.record({
    objectType: fc.constant(on),
    privileges: fc.uniqueArray(fc.constantFrom(...privileges[on]), { minLength: 1 }),
    ...(on === 'Database' || on === 'Schema' ? {} : { names: fc.option(fc.subarray(objects), { nil: undefined }) }),
  }),
)

const anyWish: fc.Arbitrary<DesiredGrant> = fc
  .record({
    access: fc.constantFrom('ReadOnly', 'ReadWrite', 'Owner', 'Custom'),
    schemas: fc.subarray(schemas),
    grants: fc.array(anyGrant, { maxLength: 3 }),
    creators: fc.subarray(['owner', 'maker', 'user']),
  })
  // An absent name list means all, which is not the same as undefined.
  .map(({ grants, ...some }) => ({
    ...some,
    role: 'user',
    database: 'shop',
    grants: grants.map(({ names, ...grant }) => (names === undefined ? grant : { ...grant, names })),
  }))

const anyObserved: fc.Arbitrary<ObservedGrants> = fc
  .record({
    majorVersion: fc.constantFrom(15, 16, 17, 18),
    roles: fc.subarray(['owner', 'maker']).map((some) => ['user', ...some]),
    held: fc.infiniteStream(fc.nat()).map((stream) => () => stream.next().value ?? 0),
  })
  .map(({ majorVersion, roles, held }) => {
    const some = (of: readonly string[]) => of.filter(() => held() % 2 === 0)
    const one = (on: keyof typeof privileges, schema: string, name: string): readonly GrantGroup[] =>
      ['user', 'other'].map((role) => {
        const isOwner = held() % 7 === 0
        const has = some(privileges[on]).toSorted()
        return group({ role, on, schema, names: [name], privileges: has, grantable: some(has), isOwner })
      })
    const groups = [
      ...one('Database', '', 'shop'),
      ...schemas.flatMap((schema) => one('Schema', '', schema)),
      ...schemas.flatMap((schema) =>
        (['Table', 'Sequence', 'Function'] as const).flatMap((on) => objects.flatMap((name) => one(on, schema, name))),
      ),
    ]
    const places = ['owner', 'maker'].flatMap((creator) => ['', ...schemas].map((schema) => ({ creator, schema })))
    const defaults = places.flatMap((place): readonly DefaultGrant[] => {
      const has = some(privileges.Table)
      return has.length === 0 ? [] : [{ ...place, role: 'user', on: 'Table', privileges: has }]
    })
    return { majorVersion, roles, schemas: some(schemas), groups, defaults }
  })

/** Returns the privileges after a server has executed the plan. */
function carriedOut(observed: ObservedGrants, { missing, extra }: GrantPlan): ObservedGrants {
  let { groups, defaults } = observed
  for (const change of [...extra, ...missing]) {
    if ('creator' in change) {
      defaults = [...defaults, { ...change, privileges: [] }].map((one) => {
        const isMeant = ['role', 'creator', 'schema', 'on'].every(
          (key) => Reflect.get(one, key) === Reflect.get(change, key),
        )
        return isMeant
          ? { ...one, privileges: changed(one.privileges, change.kind === 'grantDefault', change.privileges) }
          : one
      })
    } else {
      groups = groups.map((one) => {
        const isMeant =
          one.role === change.role &&
          one.on === change.on &&
          one.schema === change.schema &&
          one.names.every((name) => change.names.includes(name))
        if (!isMeant) return one
        const grantable = change.kind === 'grant' ? one.grantable : changed(one.grantable, false, change.privileges)
        if (change.kind === 'revokeOption') return { ...one, grantable }
        return { ...one, grantable, privileges: changed(one.privileges, change.kind === 'grant', change.privileges) }
      })
    }
  }
  return { ...observed, groups, defaults }
}

function changed(held: readonly string[], gives: boolean, some: readonly string[]): readonly string[] {
  const rest = held.filter((one) => !some.includes(one))
  return (gives ? [...rest, ...some] : rest).toSorted()
}
