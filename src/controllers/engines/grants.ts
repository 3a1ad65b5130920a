// Compares desired with observed privileges and plans the changes: missing and extra ones. Pure.
// Only direct grants count: a privilege by another role or PUBLIC can disappear without notice.
// Invariant: linear in the names of the spec plus those of the server, and in slices; a tenant chooses both numbers.
import { DesiredPrivileges, objectTargets } from './desired-privileges.ts'
import { EngineError } from './engine-error.ts'
import type {
  DefaultGrant,
  DefaultGrantChange,
  DesiredGrant,
  GrantChange,
  GrantGroup,
  ObservedGrants,
  Privilege,
} from './grant.ts'
import type { SlicedWork } from './slice-runner.ts'

export interface GrantPlan {
  /** Privileges to grant. */
  readonly missing: readonly (GrantChange | DefaultGrantChange)[]
  /** Privileges to revoke if the operator owns the role. */
  readonly extra: readonly (GrantChange | DefaultGrantChange)[]
  /** Objects that the spec names and the server lacks: `schema app`, `table app.orders`, `role shop_app`. */
  readonly notFound: readonly string[]
  /** Number of desired privileges on single objects, and of those that the role holds. */
  readonly desired: number
  readonly held: number
}

/**
 * Returns the changes from `observed` to `wish`. `observed` must cover the role, schemas and creators of `wish`. Throws
 * StatementFailed for more than 100,000 changes.
 */
export function* planGrants(wish: DesiredGrant, observed: ObservedGrants): SlicedWork<GrantPlan> {
  const foundSchemas = among(wish.schemas, observed.schemas)
  const desired = yield* DesiredPrivileges.of(wish, { majorVersion: observed.majorVersion, schemas: foundSchemas })
  const totals: Totals = { missing: [], extra: [], options: [], desired: 0, held: 0 }
  for (const group of observed.groups) {
    if (group.role === wish.role) yield* compare(group, desired, totals)
    yield
  }
  const defaults = yield* compareDefaults(wish, observed, desired)
  return {
    missing: [...totals.missing, ...defaults.missing],
    extra: [...totals.extra, ...totals.options, ...defaults.extra],
    notFound: yield* notFound(wish, observed, { desired, foundSchemas }),
    desired: totals.desired,
    held: totals.held,
  }
}

/** Number of names between two `yield`s. */
const namesAtOnce = 256

/** Only a hostile server exceeds this number: privileges of one object have a few hundred combinations. */
const mostChanges = 100_000

interface Totals {
  readonly missing: GrantChange[]
  readonly extra: GrantChange[]
  /** Privileges that the role keeps without their grant option. */
  readonly options: GrantChange[]
  desired: number
  held: number
}

/** Comparison of a list of desired privileges with a group. Lists are interned, so each is compared once per group. */
interface Verdict {
  readonly desired: number
  readonly held: number
  /** List that collects the names of objects to change; undefined: no change. */
  readonly missing: Names | undefined
  readonly extra: Names | undefined
  readonly kept: Names | undefined
}

interface Names {
  readonly privileges: readonly Privilege[]
  readonly names: string[]
}

function* compare(group: GrantGroup, desired: DesiredPrivileges, totals: Totals): SlicedWork<void> {
  const desiredOf = desired.within(group)
  const found = new GroupNames(group)
  let count = 0
  for (const name of group.names) {
    const verdict = found.verdictOn(desiredOf(name))
    totals.desired += verdict.desired
    totals.held += verdict.held
    verdict.missing?.names.push(name)
    verdict.extra?.names.push(name)
    verdict.kept?.names.push(name)
    count += 1
    if (count % namesAtOnce === 0) yield
  }
  for (const names of found.all()) {
    totals[names.kind].push(changeOf(verbs[names.kind], group, names))
    yield
  }
  const { missing, extra, options } = totals
  if (missing.length + extra.length + options.length > mostChanges) throw tooManyChanges(group)
}

const verbs = { missing: 'grant', extra: 'revoke', options: 'revokeOption' } as const

type Kind = keyof typeof verbs

/** Names of a group's objects, by missing privileges, extra privileges, and extra grant options. */
class GroupNames {
  readonly #group: GrantGroup
  readonly #verdicts = new Map<readonly Privilege[], Verdict>()
  /** Short: at most the combinations of privileges of one object type. */
  readonly #lists: (Names & { readonly kind: Kind; readonly key: string })[] = []

  constructor(group: GrantGroup) {
    this.#group = group
  }

  all(): Iterable<Names & { readonly kind: Kind }> {
    return this.#lists
  }

  verdictOn(desired: readonly Privilege[]): Verdict {
    const known = this.#verdicts.get(desired)
    const verdict = known ?? this.#verdict(desired)
    if (known === undefined) this.#verdicts.set(desired, verdict)
    return verdict
  }

  #verdict(desired: readonly Privilege[]): Verdict {
    const { isOwner, privileges: held, grantable } = this.#group
    const count = desired.length
    if (isOwner) return { desired: count, held: count, missing: undefined, extra: undefined, kept: undefined }
    const missing = desired.filter((one) => !held.includes(one))
    const extra = held.filter((one) => !desired.includes(one))
    const kept = held.filter((one) => desired.includes(one) && grantable.includes(one))
    return {
      ...{ desired: count, held: count - missing.length },
      ...{ missing: this.#names('missing', missing), extra: this.#names('extra', extra) },
      kept: this.#names('options', kept),
    }
  }

  #names(kind: Kind, privileges: readonly Privilege[]): Names | undefined {
    if (privileges.length === 0) return undefined
    const key = privileges.join(',')
    const known = this.#lists.find((list) => list.kind === kind && list.key === key)
    if (known !== undefined) return known
    const names = { kind, key, privileges, names: [] }
    this.#lists.push(names)
    return names
  }
}

function changeOf(
  kind: GrantChange['kind'],
  { role, on, schema, table, passedOn = [] }: GrantGroup,
  { privileges, names }: Names,
): GrantChange {
  const others = kind === 'grant' ? [] : passedOn.filter(({ privilege }) => privileges.includes(privilege))
  const grantors = [...new Set(others.map(({ grantor }) => grantor))]
  const change = { kind, role, on, schema, table, names, privileges }
  return grantors.length === 0 ? change : { ...change, grantors }
}

function tooManyChanges({ role }: GrantGroup): EngineError {
  const message = `the privileges of role ${role} differ in more than ${mostChanges} ways; REVOKE what the DatabaseUser does not ask for`
  return new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
}

interface DefaultComparison {
  readonly missing: readonly DefaultGrantChange[]
  readonly extra: readonly DefaultGrantChange[]
}

function* compareDefaults(
  wish: DesiredGrant,
  observed: ObservedGrants,
  privileges: DesiredPrivileges,
): SlicedWork<DefaultComparison> {
  const desired = desiredDefaults(wish, observed, privileges)
  const desiredAt = new Map(desired.map((grant) => [placeOf(grant), new Set(grant.privileges)]))
  const heldAt = new Map<string, Set<Privilege>>()
  const extra: DefaultGrantChange[] = []
  let count = 0
  for (const grant of observed.defaults) {
    count += 1
    if (count % namesAtOnce === 0) yield
    if (grant.role !== wish.role) continue
    const place = placeOf(grant)
    const wanted = desiredAt.get(place)
    const tooMuch = { ...grant, privileges: grant.privileges.filter((one) => wanted?.has(one) !== true) }
    if (isSome(tooMuch)) extra.push({ kind: 'revokeDefault', ...tooMuch })
    if (wanted !== undefined) heldAt.set(place, new Set([...(heldAt.get(place) ?? []), ...grant.privileges]))
  }
  const missing = desired.map((grant) => {
    const held = heldAt.get(placeOf(grant))
    return { ...grant, privileges: grant.privileges.filter((one) => held?.has(one) !== true) }
  })
  return { missing: missing.filter(isSome).map((grant) => ({ kind: 'grantDefault', ...grant })), extra }
}

function desiredDefaults(
  wish: DesiredGrant,
  { schemas: found, roles }: ObservedGrants,
  desired: DesiredPrivileges,
): readonly DefaultGrant[] {
  const { role } = wish
  const [foundRoles, foundSchemas] = [among(wish.creators, roles), among(wish.schemas, found)]
  const creators = wish.creators.filter((creator) => creator !== role && foundRoles.has(creator))
  const schemas = wish.schemas.filter((schema) => foundSchemas.has(schema))
  const places = creators.flatMap((creator) => schemas.map((schema) => ({ role, creator, schema })))
  const forAll = objectTargets.map((on) => ({ on, privileges: desired.onAll(on) }))
  return places.flatMap((place) => forAll.map((of) => ({ ...place, ...of }))).filter(isSome)
}

function placeOf({ on, creator, schema }: DefaultGrant): string {
  return JSON.stringify([on, creator, schema])
}

function isSome({ privileges }: DefaultGrant): boolean {
  return privileges.length > 0
}

function* notFound(
  wish: DesiredGrant,
  { roles, groups }: ObservedGrants,
  { desired, foundSchemas }: { readonly desired: DesiredPrivileges; readonly foundSchemas: ReadonlySet<string> },
): SlicedWork<readonly string[]> {
  const foundRoles = among([wish.role, ...wish.creators], roles)
  let count = 0
  for (const { role, on, schema, names, isOfExtension } of groups) {
    count += 1
    if (count % namesAtOnce === 0) yield
    const isCompared = role === wish.role && !isOfExtension
    if (isCompared || !desired.hasNames(on) || !foundSchemas.has(schema)) continue
    for (const name of names) {
      desired.markFound(on, name)
      count += 1
      if (count % namesAtOnce === 0) yield
    }
  }
  return [
    ...[wish.role, ...wish.creators].filter((role) => !foundRoles.has(role)).map((role) => `role ${role}`),
    ...wish.schemas.filter((schema) => !foundSchemas.has(schema)).map((schema) => `schema ${schema}`),
    ...desired.notFound(),
  ]
}

/** Returns the requested names that the server has. The result has at most as many names as the request. */
function among(names: readonly string[], found: readonly string[]): ReadonlySet<string> {
  const asked = new Set(names)
  return new Set(found.filter((name) => asked.has(name)))
}
