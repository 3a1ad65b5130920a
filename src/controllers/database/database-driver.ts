// External driver of one database on a server. It creates the owner role first, then the database, then everything
// else. Invariant: after an interruption at any point, the markers name the owner, and a repetition continues.
import {
  CodedError,
  type Consistency,
  type ExternalCall,
  type ExternalChange,
  type ExternalDriver,
  type Observation,
} from '../../index.ts'
import { discardRestore, dropFormer } from '../backup/restore-worker.ts'
import type { RoleChange } from '../engines/change.ts'
import type { DatabaseEngine, DatabaseServer } from '../engines/engine.ts'
import { EngineError } from '../engines/engine-error.ts'
import type { ObservedRole } from '../engines/observed-server.ts'
import { requestedDifferences } from '../engines/requested-differences.ts'
import { signed } from '../engines/server-access.ts'
import { observationOf } from './database-observation.ts'
import {
  type Difference,
  differencesOf,
  type LogicalDatabase,
  type ObservedLogicalDatabase,
  ownerAttributes,
} from './logical-database.ts'

type Call = ExternalCall<LogicalDatabase>

export class DatabaseDriver implements ExternalDriver<LogicalDatabase, ObservedLogicalDatabase> {
  /** Catalogs are authoritative; CREATE DATABASE takes seconds on a slow disk. */
  readonly consistency: Consistency = { visibilityDelayMs: 0, pollMs: 5_000, createTimeoutMs: 300_000 }
  readonly #engine: DatabaseEngine

  constructor(engine: DatabaseEngine) {
    this.#engine = engine
  }

  enter({ desired, signal }: Pick<Call, 'desired' | 'signal'>): Promise<() => void> {
    return this.#engine.visit(desired.access, { caller: desired.caller, signal })
  }

  /** Executes one statement, and one more in the database if it belongs to the resource. */
  async observe(call: Call): Promise<Observation<ObservedLogicalDatabase>> {
    const { desired } = call
    const server = this.#server(call)
    const look = observationOf(call, await server.observe(questionOf(desired)))
    if (look.kind === 'decided') return look.observation
    const { providerID, succeeds, owner, observed, isReadable } = look
    // The owner can make the contents arbitrarily large. They are read only after roles without consent have lost their
    // rights.
    const isClosing = differencesOf(desired, { ...observed, contents: undefined }).some(isWithdrawal)
    const contents = isReadable && !isClosing ? await server.observeContents(desired.name) : undefined
    return { kind: 'available', providerID, succeeds, owner, observed: { ...observed, contents } }
  }

  async create(call: Call): Promise<void> {
    const { name, owner, encoding, locale, connectionLimit, caller, restore, recreatesIfMissing } = call.desired
    if (restore?.snapshot !== undefined && !recreatesIfMissing) throw notInSnapshot(name, restore.snapshot)
    const token = signed(call.token, caller)
    const server = this.#server(call)
    const { roles } = await server.observe(questionOf(call.desired))
    const isTheirs = roles[0] !== undefined && roles[0].token?.uid !== token.uid
    if (isTheirs && !call.adopts) throw roleTaken(owner)
    await server.change(ownerRoleChanges({ ...call, token }, roles[0]))
    await server.createDatabase({
      ...{ name, owner, token, connectionLimit },
      ...(encoding === undefined ? {} : { encoding }),
      ...(locale === undefined ? {} : { locale }),
    })
  }

  differences(desired: LogicalDatabase, observed: ObservedLogicalDatabase): readonly Difference[] {
    return differencesOf(desired, observed)
  }

  async update(call: Call, observed: ObservedLogicalDatabase, asked: readonly ExternalChange[]): Promise<void> {
    const server = this.#server(call)
    const differences = requestedDifferences(differencesOf(call.desired, observed), asked)
    const changesAt = (place: Difference['at']) =>
      differences.filter(({ at }) => at === place).flatMap(({ changes }) => changes)
    await server.changeDespite(
      changesAt('server'),
      differences.flatMap(({ takesFrom }) => takesFrom ?? []),
    )
    const isClosedToSome = differences.some(isWithdrawal)
    if (isClosedToSome) await server.endSessions({ database: call.desired.name, lockedOut: true })
    await server.change(changesAt('schemas'), { database: call.desired.name })
    await server.change(changesAt('extensions'), { database: call.desired.name })
  }

  async delete(call: Call, observed: ObservedLogicalDatabase | undefined): Promise<void> {
    const { name, owner: role, caller, restores = [] } = call.desired
    const server = this.#server(call)
    if (observed?.database !== undefined) await server.dropDatabase(name, { force: true })
    // After the drop, so that a running restore cannot move a database in or out of its place. The owner role owns
    // them.
    const { uid } = call.token
    const database = { namespace: caller.namespace, name: caller.name, uid, databaseName: name, owner: role }
    for (const requestId of restores) {
      await dropFormer({ requestId, database }, server)
      await discardRestore({ requestId, database }, server)
    }
    // A role with another token stays. After a crash before this, the next observation still finds the role.
    if (observed?.ownerRole?.token?.uid === call.token.uid) await server.change([{ kind: 'dropRole', role }])
  }

  #server({ desired, signal }: Call): DatabaseServer {
    return this.#engine.server(desired.access, { caller: desired.caller, signal })
  }
}

function isWithdrawal({ reason }: Difference): boolean {
  return reason === 'ConsentWithdrawn'
}

function questionOf({ name, owner, formers = [] }: LogicalDatabase) {
  return { databases: [name, ...formers], roles: [{ name: owner }] }
}

/** An existing role comes from an interrupted creation, or is to be adopted. */
function ownerRoleChanges({ desired, token }: Call, found: ObservedRole | undefined): readonly RoleChange[] {
  const { owner: role } = desired
  if (found === undefined) return [{ kind: 'createRole', role, token, attributes: ownerAttributes }]
  const mark = { kind: 'markRole', role, token } as const
  return [{ kind: 'joinRole', role }, ...(found.token?.uid === token.uid ? [] : [mark])]
}

/** The role was created after the last observation. */
function roleTaken(role: string): EngineError {
  return new EngineError({
    code: 'AlreadyExists',
    message: `role ${role} is there by now, and was not made for this Database`,
    remedy: 'retry',
  })
}

/** An empty database would pass for the restored one. */
function notInSnapshot(name: string, snapshot: string): CodedError<'RestoredDatabaseMissing'> {
  const message = `the snapshot ${snapshot} has no database ${name}; see what it has, and set recreateIfMissing if an empty one will do`
  return new CodedError({ code: 'RestoredDatabaseMissing', message, remedy: 'stop' })
}
