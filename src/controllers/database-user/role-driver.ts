// Driver of the roles of one user, on the server of its Databases. It creates the group role with its ownership token
// first; all other changes follow from observations. Invariant: after an interruption at any point, a repetition
// continues. An observation without differences is one statement, and one more in each of its databases.
import type {
  CodedError,
  Consistency,
  ExternalCall,
  ExternalChange,
  ExternalDriver,
  ExternalTools,
  Observation,
} from '../../index.ts'
import type { Change } from '../engines/change.ts'
import type { DatabaseEngine, DatabaseServer, LoginVerdict } from '../engines/engine.ts'
import { EngineError } from '../engines/engine-error.ts'
import type { ObservedRole } from '../engines/observed-server.ts'
import { requestedDifferences } from '../engines/requested-differences.ts'
import { signed } from '../engines/server-access.ts'
import { SliceRunner } from '../engines/slice-runner.ts'
import type { DatabaseAccess, DesiredRole } from './desired-role.ts'
import { grantPlan, grantQuestion, withoutGrants } from './grant-plan.ts'
import { loginRolesOf } from './login-roles.ts'
import type { Elsewhere, ObservedUser, RoleDifference, UnreadDatabase } from './role-difference.ts'
import { provenHash, replacedPassword, roleDifferences } from './role-plan.ts'
import { obstacleOf, questionOf } from './role-question.ts'
import { blockedRemoval, removalSteps } from './role-removal.ts'

type Call = ExternalCall<DesiredRole>

interface InDatabases {
  readonly grants: ObservedUser['grants']
  readonly unread: readonly UnreadDatabase[]
}

/** Databases that are closed to a user in one update; later observations find the others. */
const mostClosed = 64

export class RoleDriver implements ExternalDriver<DesiredRole, ObservedUser> {
  /** Catalogs are authoritative, and roles exist immediately. */
  readonly consistency: Consistency = { visibilityDelayMs: 0, pollMs: 5_000, createTimeoutMs: 60_000 }
  readonly #engine: DatabaseEngine
  /** Shared by all users: tenants determine how many objects and names are compared. */
  readonly #slices: SliceRunner

  constructor(engine: DatabaseEngine, { clock }: Pick<ExternalTools, 'clock'>) {
    this.#engine = engine
    this.#slices = new SliceRunner(clock)
  }

  enter({ desired, signal }: Pick<Call, 'desired' | 'signal'>): Promise<() => void> {
    return this.#engine.visit(desired.access, { caller: desired.caller, signal })
  }

  async observe(call: Call): Promise<Observation<ObservedUser>> {
    const { desired } = call
    const token = signed(call.token, desired.caller)
    const server = this.#serverOf(call)
    const seen = await server.observe(questionOf(desired))
    const obstacle = obstacleOf(call, seen)
    if (obstacle?.kind === 'error') throw obstacle.error
    if (obstacle?.kind === 'observation') return obstacle.observation
    const group = seen.roles.find(({ name }) => name === desired.group)
    if (group === undefined) return { kind: 'absent', proof: 'authoritative' }
    const roles = loginRolesOf(desired.group)
    const logins = seen.roles.filter(({ name }) => roles.includes(name))
    const isLeaving = desired.ending !== undefined || desired.isShutOut
    const { grants, unread } = isLeaving ? { grants: {}, unread: [] } : await this.#grants(server, call)
    const elsewhere = isLeaving ? [] : await this.#elsewhere(server, call, [group, ...logins])
    // Last, because it takes the place of the session in its database.
    const verdict = isLeaving ? undefined : await this.#tryLogin(server, desired, logins)
    const proven = provenHash(desired, { logins, verdict })
    const observed: ObservedUser = {
      ...{ server: seen.server, group, logins, token, grants, elsewhere },
      ...(unread.length === 0 ? {} : { unread }),
      ...(verdict === undefined ? {} : { verdict }),
      ...(proven === undefined ? {} : { provenHash: proven }),
    }
    const providerID = `pg://${seen.server.systemIdentifier}/role/${group.oid}`
    const succeeds = group.succession?.replaced
    return { kind: 'available', providerID, succeeds, owner: group.token, observed }
  }

  async create(call: Call): Promise<void> {
    const { desired } = call
    const token = signed(call.token, desired.caller)
    const attributes = { canLogin: false, inherits: true, canCreateDatabases: desired.canCreateDatabases }
    await this.#serverOf(call).change([{ kind: 'createRole', role: desired.group, token, attributes }])
  }

  /** The result of an observation, and the way in which a password is replaced, do not require another observation. */
  question({ isVerified: _, endsSessions: __, ...rest }: DesiredRole): unknown {
    return rest
  }

  differences(desired: DesiredRole, observed: ObservedUser): readonly RoleDifference[] {
    return roleDifferences(desired, observed)
  }

  async update(call: Call, observed: ObservedUser, changes: readonly ExternalChange[]): Promise<void> {
    const { desired } = call
    const server = this.#serverOf(call)
    const differences = requestedDifferences(roleDifferences(desired, observed), changes)
    await this.#carryOut(server, observed, [...markings(observed, desired), ...differences])
    await this.#carryOut(server, observed, await this.#contested(server, desired, differences))
    const obstacles = differences.flatMap(({ obstacle }) => obstacle ?? [])
    if (obstacles.length > 0) throw dependentObjects(obstacles.join('; '))
  }

  async delete(call: Call, observed: ObservedUser | undefined): Promise<void> {
    if (observed === undefined) return
    const server = this.#serverOf(call)
    const dependents = [observed.group, ...observed.logins].flatMap((role) => role.dependents)
    const inside = dependents.map(({ database }) => database).filter((name) => name !== '')
    const asked = [...inside, ...call.desired.databases.map(({ name }) => name)]
    const { databases } =
      dependents.length === 0 ? { databases: [] } : await server.observe({ databases: [...new Set(asked)] })
    const blocked = blockedRemoval(call.desired, observed, databases)
    if (blocked !== undefined) throw dependentObjects(blocked)
    await this.#carryOut(server, observed, removalSteps(call.desired, observed, databases))
  }

  /**
   * Executes steps in the order of `RoleDifference`. Each transaction is repeatable, or leaves a difference for the
   * next observation.
   */
  async #carryOut(
    server: DatabaseServer,
    { group, logins }: ObservedUser,
    differences: readonly Pick<RoleDifference, 'steps' | 'ends'>[],
  ): Promise<void> {
    const steps = differences.flatMap((difference) => difference.steps)
    const changesAt = (place: 'server' | 'ended' | 'last') =>
      steps.flatMap(({ at, changes }): readonly Change[] => (at === place ? changes : []))
    const roles = [group, ...logins].map(({ name }) => name)
    await server.changeDespite(changesAt('server'), roles)
    for (const { ends: role } of differences) if (role !== undefined) await server.endSessions({ role })
    await server.changeDespite(changesAt('ended'), roles)
    const inside = Map.groupBy(
      steps.filter((step) => step.at === 'database'),
      ({ database }) => database,
    )
    for (const [database, parts] of inside) {
      const all = parts.flatMap(({ changes }) => changes)
      const isInOtherNames = (change: Change) => 'grantors' in change && change.kind !== 'revokeMembership'
      // Separately and last: the admin may lack the right to act for the grantor.
      const own = all.filter((change) => !isInOtherNames(change))
      await server.change(own, { database })
      await server.change(all.filter(isInOtherNames), { database })
    }
    await server.change(changesAt('last'))
  }

  /**
   * Owners have their privileges as members of the owner role, so none are granted. A database with more objects than
   * the operator reads does not block the rest: passwords still rotate, and logins are removed.
   */
  async #grants(server: DatabaseServer, { desired, signal }: Call): Promise<InDatabases> {
    const { group, databases } = desired
    const granted = databases.filter(({ access }) => access !== 'Owner')
    const unread: UnreadDatabase[] = []
    const ask = async (database: DatabaseAccess) => {
      const { name } = database
      try {
        const seen = await server.observeGrants(name, grantQuestion(group, database))
        return [[name, await this.#slices.run(grantPlan(group, database, seen), signal)] as const]
      } catch (error) {
        if (!(error instanceof EngineError) || error.code !== 'StatementFailed') throw error
        unread.push({ database: name, message: error.message })
        return []
      }
    }
    const plans = await Promise.all(granted.map(ask))
    return { grants: Object.fromEntries(plans.flat()), unread }
  }

  /**
   * Finds databases that were removed from the list by privileges that the roles still have there; usually none,
   * without a statement. Databases that no Database owns are excluded: a transfer of objects there would give property
   * and code to their owners.
   */
  async #elsewhere(
    server: DatabaseServer,
    { desired, signal }: Call,
    roles: readonly ObservedRole[],
  ): Promise<readonly Elsewhere[]> {
    const listed = new Set(desired.databases.map(({ name }) => name))
    const names = [
      ...roles.slice(0, 1).flatMap(({ dependents }) => dependents.map(({ database }) => database)),
      ...roles.flatMap(({ settings }) => settings.flatMap(({ database }) => database ?? [])),
    ]
    const others = [...new Set(names)].filter((name) => name !== '' && !listed.has(name))
    if (others.length === 0) return []
    const { databases } = await server.observe({ databases: others })
    const closed = databases.filter(
      ({ owner, ownerToken, allowsConnections }) =>
        ownerToken !== undefined && owner !== desired.group && allowsConnections,
    )
    const ownedIn = new Map(roles[0]?.dependents.map(({ database, owned }) => [database, owned]))
    return await Promise.all(
      closed.slice(0, mostClosed).map(async (database) => {
        const seen = await server.observeGrants(database.name, { roles: [desired.group], schemas: [] })
        const revocations = await this.#slices.run(withoutGrants(desired.group, seen), signal)
        return { database, owned: ownedIn.get(database.name) ?? 0, revocations }
      }),
    )
  }

  /** Tests only what no catalog shows: a new credential, or any credential if verifiers are hidden. */
  async #tryLogin(
    server: DatabaseServer,
    { credential, databases, isVerified }: DesiredRole,
    logins: readonly ObservedRole[],
  ): Promise<LoginVerdict | undefined> {
    const [database] = databases
    const login = logins.find(({ name }) => name === credential?.username)
    if (credential?.password === undefined || login === undefined || database === undefined) return undefined
    if (!login.canLogin || login.verifierMatches === false) return undefined
    if (login.verifierMatches === true && isVerified) return undefined
    const { username, password } = credential
    try {
      return await server.tryLogin({ username, password, database: database.name })
    } catch (error) {
      // On a full server the verifier verifies the password.
      const isFull = error instanceof EngineError && error.code === 'TooManyConnections'
      if (isFull && login.verifierMatches === true) return 'TooManyConnections'
      throw error
    }
  }

  /**
   * Replaces a password again that a session changed back immediately. A rotation that keeps sessions ends them in this
   * case, because a session in a loop would change the password before every observation.
   */
  async #contested(
    server: DatabaseServer,
    { credential, databases }: DesiredRole,
    differences: readonly RoleDifference[],
  ): Promise<readonly Pick<RoleDifference, 'steps' | 'ends'>[]> {
    const isKept = differences.some(({ reason, ends }) => reason === 'PasswordDiffers' && ends === undefined)
    const [database] = databases
    if (!isKept || credential?.password === undefined || database === undefined) return []
    const { username: role, password, verifier } = credential
    const verdict = await server.tryLogin({ username: role, password, database: database.name })
    return verdict === 'WrongPassword' ? [replacedPassword({ role, verifier })] : []
  }

  #serverOf({ desired, signal }: Call): DatabaseServer {
    return this.#engine.server(desired.access, { caller: desired.caller, signal })
  }
}

/** Adopted roles get the ownership token, and the admin becomes their member, which it needs to change them. */
function markings(
  { group, logins, token }: ObservedUser,
  { logins: wanted }: DesiredRole,
): readonly Pick<RoleDifference, 'steps'>[] {
  const ours = [group, ...logins.filter(({ name }) => wanted.some((login) => login.name === name))]
  const unmarked = ours.filter((role) => role.token?.uid !== token.uid)
  return unmarked.map(({ name: role }) => ({
    steps: [
      {
        at: 'server',
        changes: [
          { kind: 'joinRole', role },
          { kind: 'markRole', role, token },
        ],
      },
    ],
  }))
}

function dependentObjects(message: string): CodedError {
  return new EngineError({ code: 'DependentObjects', message, remedy: 'retry', retryAfterMs: 60_000 })
}
