// Which privileges are missing and which are too many? What a wish means, compared with what was found; the answer is a list of
// changes. Pure, and exact: privileges that come by another role or by PUBLIC do not count, as they can go without a word.
import type {
  CustomGrant,
  DefaultGrant,
  DefaultGrantChange,
  GrantChange,
  GrantGroup,
  GrantWish,
  ObservedGrants,
  Privilege,
} from './grant.ts'

export interface GrantPlan {
  /** To be given. */
  readonly missing: readonly (GrantChange | DefaultGrantChange)[]
  /** To be taken, if the role is ours. */
  readonly extra: readonly (GrantChange | DefaultGrantChange)[]
  /** What the wish names and is not there, in words: `schema app`, `table app.orders`, `role shop_app`. */
  readonly notFound: readonly string[]
  /** Privileges on objects, counted one by one: wished for, and of those held. */
  readonly desired: number
  readonly held: number
}

/** What has objects in a schema. */
type ObjectTarget = 'Table' | 'Sequence' | 'Function'

const objectTargets: readonly ObjectTarget[] = ['Table', 'Sequence', 'Function']

type Preset = Readonly<Record<'Database' | 'Schema' | ObjectTarget, readonly Privilege[]>>

/** MAINTAIN came with PostgreSQL 17 and goes with an owner's. */
const presets: Readonly<Record<GrantWish['access'], Preset>> = {
  ReadOnly: { Database: ['CONNECT'], Schema: ['USAGE'], Table: ['SELECT'], Sequence: ['SELECT'], Function: [] },
  ReadWrite: {
    Database: ['CONNECT', 'TEMPORARY'],
    Schema: ['USAGE'],
    Table: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
    Sequence: ['SELECT', 'UPDATE', 'USAGE'],
    Function: ['EXECUTE'],
  },
  Owner: {
    Database: ['CONNECT', 'CREATE', 'TEMPORARY'],
    Schema: ['CREATE', 'USAGE'],
    Table: ['DELETE', 'INSERT', 'MAINTAIN', 'REFERENCES', 'SELECT', 'TRIGGER', 'TRUNCATE', 'UPDATE'],
    Sequence: ['SELECT', 'UPDATE', 'USAGE'],
    Function: ['EXECUTE'],
  },
  Custom: { Database: [], Schema: [], Table: [], Sequence: [], Function: [] },
}

/** `observed` has to answer for the role, the schemas and the creators of the wish. */
export function planGrants(wish: GrantWish, observed: ObservedGrants): GrantPlan {
  const groups = observed.groups.filter(({ role }) => role === wish.role)
  const changes = groups.map((group) => ({
    group,
    ...compared(group, (name) => desiredOn(wish, observed, group, name)),
  }))
  const defaults = compareDefaults(wish, observed)
  return {
    missing: [...changes.flatMap(({ group, missing }) => changesOf('grant', group, missing)), ...defaults.missing],
    extra: [
      ...changes.flatMap(({ group, extra }) => changesOf('revoke', group, extra)),
      ...changes.flatMap(({ group, kept }) => optionChanges(group, kept)),
      ...defaults.extra,
    ],
    notFound: notFound(wish, observed),
    desired: changes.reduce((sum, { desired }) => sum + desired, 0),
    held: changes.reduce((sum, { held }) => sum + held, 0),
  }
}

interface Comparison {
  /** Names by the privileges that they lack, joined; and so on. */
  readonly missing: ReadonlyMap<string, readonly string[]>
  readonly extra: ReadonlyMap<string, readonly string[]>
  /** Names by what they rightly have. */
  readonly kept: ReadonlyMap<string, readonly string[]>
  readonly desired: number
  readonly held: number
}

function compared(group: GrantGroup, desiredOf: (name: string) => readonly Privilege[]): Comparison {
  const rows = group.names.map((name) => ({ name, desired: desiredOf(name) }))
  const { privileges, isOwner } = group
  const by = (choose: (desired: readonly Privilege[]) => readonly Privilege[]) =>
    isOwner ? new Map() : groupNames(rows.map(({ name, desired }) => ({ name, privileges: choose(desired) })))
  const desired = rows.reduce((sum, row) => sum + row.desired.length, 0)
  const held = (wanted: readonly Privilege[]) => wanted.filter((one) => isOwner || privileges.includes(one))
  return {
    missing: by((wanted) => wanted.filter((one) => !privileges.includes(one))),
    extra: by((wanted) => privileges.filter((one) => !wanted.includes(one))),
    kept: by((wanted) => privileges.filter((one) => wanted.includes(one))),
    desired,
    held: rows.reduce((sum, row) => sum + held(row.desired).length, 0),
  }
}

function groupNames(
  rows: readonly { readonly name: string; readonly privileges: readonly Privilege[] }[],
): ReadonlyMap<string, readonly string[]> {
  const byPrivileges = Map.groupBy(rows, ({ privileges }) => privileges.join(','))
  return new Map(
    [...byPrivileges].filter(([key]) => key !== '').map(([key, group]) => [key, group.map(({ name }) => name)]),
  )
}

function changesOf(
  kind: GrantChange['kind'],
  { role, on, schema, table, passedOn = [] }: GrantGroup,
  names: ReadonlyMap<string, readonly string[]>,
): readonly GrantChange[] {
  return [...names].map(([key, of]) => {
    const privileges = key.split(',')
    const others = kind === 'grant' ? [] : passedOn.filter(({ privilege }) => privileges.includes(privilege))
    const grantors = [...new Set(others.map(({ grantor }) => grantor))]
    const change = { kind, role, on, schema, table, names: of, privileges }
    return grantors.length === 0 ? change : { ...change, grantors }
  })
}

/** What it may keep, it may still not pass on. */
function optionChanges(group: GrantGroup, kept: Comparison['kept']): readonly GrantChange[] {
  if (group.grantable.length === 0) return []
  return changesOf('revokeOption', group, kept)
    .map((change) => ({ ...change, privileges: change.privileges.filter((one) => group.grantable.includes(one)) }))
    .filter(({ privileges }) => privileges.length > 0)
}

/** What the wish wants on one object of a group. */
function desiredOn(
  wish: GrantWish,
  { majorVersion }: ObservedGrants,
  { on, schema, isOfExtension }: GrantGroup,
  name: string,
): readonly Privilege[] {
  // Some of an extension's functions are for superusers: dblink_connect_u lets whoever may call it become one.
  if (on === 'Column' || isOfExtension) return []
  const isWithin = on === 'Database' ? name === wish.database : wish.schemas.includes(on === 'Schema' ? name : schema)
  if (!isWithin) return []
  const listed = wish.grants.filter((grant) => grant.objectType === on && namesObject(grant, on, name))
  return known([...presets[wish.access][on], ...listed.flatMap(({ privileges }) => privileges)], majorVersion)
}

function namesObject({ names }: CustomGrant, on: GrantGroup['on'], name: string): boolean {
  if (names === undefined || on === 'Database' || on === 'Schema') return true
  return on === 'Function' ? names.some((wanted) => isFunctionNamed(name, wanted)) : names.includes(name)
}

/** By its signature as the server writes it, or by its name alone. */
function isFunctionNamed(signature: string, wanted: string): boolean {
  if (signature === wanted) return true
  const quoted = `"${wanted.replaceAll('"', '""')}"`
  return [wanted, quoted].some((name) => signature.startsWith(`${name}(`))
}

/** Each once, sorted, and only what this version has. */
function known(privileges: readonly Privilege[], majorVersion: number): readonly Privilege[] {
  return [...new Set(privileges)].filter((one) => one !== 'MAINTAIN' || majorVersion >= 17).sort()
}

interface DefaultComparison {
  readonly missing: readonly DefaultGrantChange[]
  readonly extra: readonly DefaultGrantChange[]
}

function compareDefaults(wish: GrantWish, observed: ObservedGrants): DefaultComparison {
  const there = observed.defaults.filter(({ role }) => role === wish.role)
  const desired = desiredDefaults(wish, observed)
  const missing = desired.map((grant) => ({ ...grant, privileges: without(grant, there.filter(isSamePlace(grant))) }))
  const extra = there.map((grant) => ({ ...grant, privileges: without(grant, desired.filter(isSamePlace(grant))) }))
  return {
    missing: missing.filter(isSome).map((grant) => ({ kind: 'grantDefault', ...grant })),
    extra: extra.filter(isSome).map((grant) => ({ kind: 'revokeDefault', ...grant })),
  }
}

function desiredDefaults(wish: GrantWish, { schemas, roles, majorVersion }: ObservedGrants): readonly DefaultGrant[] {
  const { role } = wish
  const creators = wish.creators.filter((creator) => creator !== role && roles.includes(creator))
  const places = creators.flatMap((creator) =>
    wish.schemas.filter((schema) => schemas.includes(schema)).map((schema) => ({ role, creator, schema })),
  )
  const forAll = objectTargets.map((on) => {
    const listed = wish.grants.filter((grant) => grant.objectType === on && grant.names === undefined)
    const privileges = [...presets[wish.access][on], ...listed.flatMap(({ privileges: some }) => some)]
    return { on, privileges: known(privileges, majorVersion) }
  })
  return places.flatMap((place) => forAll.map((of) => ({ ...place, ...of }))).filter(isSome)
}

function isSamePlace(one: DefaultGrant): (other: DefaultGrant) => boolean {
  return ({ creator, schema, on }) => creator === one.creator && schema === one.schema && on === one.on
}

function without({ privileges }: DefaultGrant, others: readonly DefaultGrant[]): readonly Privilege[] {
  return privileges.filter((one) => !others.some((other) => other.privileges.includes(one)))
}

function isSome({ privileges }: DefaultGrant): boolean {
  return privileges.length > 0
}

function notFound(wish: GrantWish, { roles, schemas, groups }: ObservedGrants): readonly string[] {
  const found = wish.schemas.filter((schema) => schemas.includes(schema))
  const isThere = (on: ObjectTarget, name: string) =>
    groups.some(
      (group) => group.on === on && found.includes(group.schema) && group.names.some((one) => named(on, one, name)),
    )
  const objects = wish.grants.flatMap(({ objectType: on, names = [] }) =>
    on === 'Database' || on === 'Schema'
      ? []
      : names.filter((name) => !isThere(on, name)).map((name) => `${on.toLowerCase()} ${name}`),
  )
  return [
    ...[wish.role, ...wish.creators].filter((role) => !roles.includes(role)).map((role) => `role ${role}`),
    ...wish.schemas.filter((schema) => !schemas.includes(schema)).map((schema) => `schema ${schema}`),
    ...objects,
  ]
}

function named(on: ObjectTarget, name: string, wanted: string): boolean {
  return on === 'Function' ? isFunctionNamed(name, wanted) : name === wanted
}
