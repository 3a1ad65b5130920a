// Session whose transaction holds one snapshot of a database; pg_dump imports the snapshot. Invariant: this session
// counts the same data that pg_dump writes, whatever clients write meanwhile. Both read the newest definitions, not
// those of the snapshot. Therefore the session locks the tables before it takes the snapshot, and checks afterwards
// whether other definitions have changed.
import { type ExternalTools, sleep } from '../../../../index.ts'
import { nameOf } from '../../contents-difference.ts'
import type { DatabaseContents, SequenceContents, TableContents } from '../../database-contents.ts'
import { EngineError } from '../../engine-error.ts'
import type { LogPosition } from '../../log-position.ts'
import type {
  ContentsOptions,
  FreezeCall,
  LogicalCall,
  SourceFacts,
  TableReading,
  TableSize,
} from '../../logical-engine.ts'
import { LogicalError } from '../../logical-error.ts'
import type { PublicRights } from '../../public-rights.ts'
import type { TableName } from '../../replication.ts'
import { asEngineError } from '../failure.ts'
import { applicationName } from '../postgres-driver.ts'
import { SlotRunner } from '../replication/slot-runner.ts'
import { SessionClient } from '../session-client.ts'
import { type CatalogPart, changedQuestions } from './catalog-changes.ts'
import {
  beginFrozen,
  beginFrozenForOwner,
  type CatalogAnswer,
  catalogQuestion,
  frozenQuestion,
  frozenSettings,
  keepStatement,
  liftPolicies,
  rowsQuestion,
  sequencesQuestion,
  tablesQuestion,
  toolWaitsQuestion,
  unlocked,
} from './contents-questions.ts'
import { publicRightsQuestion } from './public-rights-question.ts'

/** One statement reads the whole of a large table. */
const statementMs = 12 * 3_600_000

export class FrozenSession {
  readonly source: SourceFacts
  /** Name by which pg_dump imports the snapshot. */
  readonly snapshot: string
  /** Position at which the requested slot begins. Undefined without a slot. */
  readonly from: LogPosition | undefined
  readonly #session: SessionClient
  readonly #call: LogicalCall
  readonly #clock: ExternalTools['clock']
  /** Tables that the session locked before it took the snapshot. */
  readonly #kept: ReadonlySet<string>

  private constructor(session: SessionClient, { call, clock }: Freezing, frozen: Frozen) {
    this.#session = session
    this.#call = call
    this.#clock = clock
    this.source = frozen.source
    this.snapshot = frozen.snapshot
    this.from = frozen.from
    this.#kept = frozen.kept
  }

  static async begin(call: FreezeCall, clock: ExternalTools['clock']): Promise<FrozenSession> {
    const { access, database, caller, slot, signal } = call
    const options = { access, database, applicationName: applicationName(caller), clock }
    const keeper = slot === undefined ? undefined : await SlotRunner.begin({ ...options, signal }, slot)
    try {
      const session = await SessionClient.open(options, signal).catch(fail(call, 'begin a session'))
      try {
        return new FrozenSession(session, { call, clock }, await freeze(session, { call, clock }, keeper))
      } catch (error) {
        await session.close()
        throw error
      }
    } finally {
      await keeper?.end()
    }
  }

  /**
   * Reads the catalogs and sequences. Sequences are not part of snapshots, so that this read must precede that of
   * pg_dump.
   */
  async catalog(): Promise<CatalogAnswer> {
    // Sound: the types are those that the statement builds.
    return (await this.#read(catalogQuestion)) as CatalogAnswer
  }

  /**
   * Locks the tables: from here on no client truncates, rewrites or drops one. Without these locks, a client that waits
   * for pg_dump would change its table when pg_dump ends, before this session reads it. No snapshot contains the
   * result. Skips tables that were locked before the snapshot.
   */
  async keepTables(): Promise<void> {
    // Sound: the types are those that the statement builds.
    const tables = ((await this.#read(tablesQuestion)) ?? []) as readonly TableName[]
    const late = tables.filter((table) => !this.#kept.has(nameOf(table)))
    if (late.length > 0) await this.#ask(keepStatement(late))
  }

  /**
   * Throws CatalogChanged if definitions have changed since the snapshot, because pg_dump and this session read the
   * newest ones.
   */
  async expectUnchanged(part: CatalogPart): Promise<void> {
    for (const question of changedQuestions(part)) {
      const [row] = await this.#ask(unlocked(question))
      const changed = row?.['changed'] ?? null
      if (changed !== null) throw catalogChanged(this.#call, `what changed is in ${changed}`)
    }
  }

  /** Returns true if this session's pg_dump waits behind a client that waits for this session. */
  async isToolWaiting(): Promise<boolean> {
    const [row] = await this.#ask(unlocked(toolWaitsQuestion))
    return (row?.['waiting'] ?? '0') !== '0'
  }

  /** Reads the positions of the sequences, after pg_dump has read them. */
  async sequences(): Promise<readonly SequenceContents[]> {
    // Sound: the types are those that the statement builds.
    return ((await this.#read(sequencesQuestion)) ?? []) as readonly SequenceContents[]
  }

  async publicRights(): Promise<PublicRights> {
    // Sound: the types are those that the statement builds.
    return (await this.#read(publicRightsQuestion)) as PublicRights
  }

  async #read(question: string): Promise<unknown> {
    const [row] = await this.#ask(unlocked(question))
    return JSON.parse(row?.['answer'] ?? 'null')
  }

  /**
   * Reports a changed catalog as CatalogChanged. An object of the snapshot that no longer exists causes such a failure
   * too.
   */
  async #ask(text: string): Promise<Rows> {
    try {
      return await ask(this.#session, this.#call, text)
    } catch (error) {
      if (!(error instanceof EngineError) || !isOfChange(error)) throw error
      throw catalogChanged(this.#call, error.message)
    }
  }

  async contents(catalog: CatalogAnswer, options: ContentsOptions): Promise<DatabaseContents> {
    const { sequences, extensions, largeObjects, objects } = catalog
    const rowHash = 'hashUpToBytes' in options ? { rowHash: options.rowHash ?? usualHash } : {}
    const tables = await this.#tables(catalog.tables ?? [], options)
    return { ...rowHash, tables, sequences: sequences ?? [], extensions: extensions ?? [], largeObjects, objects }
  }

  async #tables(sizes: readonly TableSize[], options: ContentsOptions): Promise<readonly TableContents[]> {
    const endsAtMs = 'tables' in options ? this.#clock.now() + options.limitMs : undefined
    const inTurn = endsAtMs === undefined ? sizes : sizes.toSorted((left, right) => left.sizeBytes - right.sizeBytes)
    const tables: TableContents[] = []
    for (const table of inTurn) {
      const { schema, name } = table
      tables.push({ schema, name, ...(await this.#rows(table, readingOf(table, options), endsAtMs)) })
    }
    return tables
  }

  async #rows({ schema, name }: TableSize, how: Reading, endsAtMs: number | undefined): Promise<TableRows> {
    if (how === 'empty') return { rows: '0', hash: '0' }
    const limitMs = endsAtMs === undefined ? statementMs : endsAtMs - this.#clock.now()
    if (how === undefined || limitMs <= 0) return unread
    try {
      const [row] = await ask(this.#session, this.#call, rowsQuestion(schema, name, how), limitMs)
      return { rows: row?.['rows'] ?? '0', hash: row?.['hash'] ?? null }
    } catch (error) {
      if (endsAtMs !== undefined && this.#clock.now() >= endsAtMs && !this.#session.isUsable) return unread
      throw error
    }
  }

  async end(): Promise<void> {
    await this.#session.close()
  }
}

type TableRows = Pick<TableContents, 'rows' | 'hash'>
type Reading = TableReading | 'empty' | undefined

const unread: TableRows = { rows: '', hash: null }

function readingOf(table: TableSize, options: ContentsOptions): Reading {
  if ('tables' in options) return options.tables.get(nameOf(table))
  if (options.withoutRows?.includes(nameOf(table))) return 'empty'
  if (table.sizeBytes > options.hashUpToBytes) return 'counted'
  return (options.rowHash ?? usualHash) === 'md5' ? 'hashed' : 'compared'
}

const usualHash = 'hashtextextended'

interface Freezing {
  readonly call: FreezeCall
  readonly clock: ExternalTools['clock']
}

interface Frozen {
  readonly source: SourceFacts
  readonly snapshot: string
  readonly from: LogPosition | undefined
  readonly kept: ReadonlySet<string>
}

async function freeze(session: SessionClient, freezing: Freezing, keeper: SlotRunner | undefined): Promise<Frozen> {
  const { call } = freezing
  const from = await keeper?.hold(session)
  const kept = keeper === undefined ? await begin(session, freezing) : new Set<string>()
  await ask(session, call, frozenSettings)
  if (call.asOwner) await ask(session, call, liftPolicies)
  const [row] = await ask(session, call, frozenQuestion)
  // Sound: the types are those that the statement builds.
  const source = JSON.parse(row?.['answer'] ?? 'null') as SourceFacts
  if (from !== undefined) await keeper?.keep(from)
  return { source, snapshot: row?.['snapshot'] ?? '', from, kept }
}

const maxTries = 60
const backoff = { baseMs: 50, capMs: 5_000 }

/** Begins the transaction, without a snapshot yet. Returns the tables that it has locked. */
async function begin(session: SessionClient, { call, clock }: Freezing): Promise<ReadonlySet<string>> {
  if (call.keepsTables !== true) {
    await ask(session, call, call.asOwner ? beginFrozenForOwner : beginFrozen)
    return new Set()
  }
  for (let tried = 1; ; tried += 1) {
    const [row] = await ask(session, call, tablesQuestion)
    // Sound: the types are those that the statement builds.
    const tables = (JSON.parse(row?.['answer'] ?? 'null') ?? []) as readonly TableName[]
    try {
      await ask(session, call, beginFrozen)
      if (tables.length > 0) await ask(session, call, keepStatement(tables))
      return new Set(tables.map(nameOf))
    } catch (error) {
      if (!session.isUsable || !(error instanceof EngineError) || !isOfChange(error)) throw error
      if (tried >= maxTries) throw catalogChanged(call, error.message)
      await ask(session, call, 'ROLLBACK')
      await sleep(clock, Math.min(backoff.capMs, backoff.baseMs * 2 ** tried), call.signal)
    }
  }
}

/** SQLSTATEs of an object that is gone, has another shape, or is locked by the client that changes it. */
const statesOfChange: readonly string[] = [
  ...['42P01', '42703', '42704', '42883', '3F000', '42809', '55P03', '40P01', 'XX000'],
]

function isOfChange({ sqlState }: EngineError): boolean {
  return sqlState !== undefined && statesOfChange.includes(sqlState)
}

function catalogChanged({ access, database }: LogicalCall, how: string): LogicalError {
  const message =
    `definitions in database ${JSON.stringify(database)} on ${access.host}:${access.port} changed while it was read: ${how}; ` +
    'let the change end, or do not change definitions (CREATE, ALTER, DROP, TRUNCATE) while a backup begins'
  return new LogicalError({ code: 'CatalogChanged', message, remedy: 'retry' })
}

type Rows = readonly Readonly<Record<string, string | null>>[]

async function ask(session: SessionClient, call: LogicalCall, text: string, limitMs = statementMs): Promise<Rows> {
  const limit = { signal: call.signal, limitMs }
  const { rows } = await session.query(text, [], limit).catch(fail(call, 'read'))
  return rows
}

function fail({ access, database, signal }: LogicalCall, verb: string): (thrown: unknown) => never {
  return (thrown) => {
    if (signal.aborted) throw signal.reason
    const attempt = `${verb} in database ${JSON.stringify(database)} on ${access.host}:${access.port}`
    throw asEngineError(thrown, { attempt, admin: access.username })
  }
}
