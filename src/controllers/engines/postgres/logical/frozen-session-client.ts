// How is one moment of a database held? By a transaction on a session of its own, whose snapshot the dump tool takes over: so what is
// counted here and what the tool writes is the same, whatever is written meanwhile.
import type { ExternalTools } from '../../../../index.ts'
import { nameOf } from '../../contents-difference.ts'
import type { DatabaseContents, TableContents } from '../../database-contents.ts'
import type { LogPosition } from '../../log-position.ts'
import type {
  ContentsOptions,
  FreezeCall,
  LogicalCall,
  SourceFacts,
  TableReading,
  TableSize,
} from '../../logical-engine.ts'
import type { PublicRights } from '../../public-rights.ts'
import { asEngineError } from '../failure.ts'
import { applicationName } from '../postgres-driver.ts'
import { SlotRunner } from '../replication/slot-runner.ts'
import { SessionClient } from '../session-client.ts'
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
} from './contents-questions.ts'
import { publicRightsQuestion } from './public-rights-question.ts'

/** The whole of a large table is read by one statement. */
const statementMs = 12 * 3_600_000

export class FrozenSession {
  readonly source: SourceFacts
  /** The name under which the tool takes it over. */
  readonly snapshot: string
  /** Where the slot begins that was asked for. */
  readonly from: LogPosition | undefined
  readonly #session: SessionClient
  readonly #call: LogicalCall
  readonly #clock: ExternalTools['clock']

  private constructor(session: SessionClient, { call, clock }: Freezing, frozen: Frozen) {
    this.#session = session
    this.#call = call
    this.#clock = clock
    this.source = frozen.source
    this.snapshot = frozen.snapshot
    this.from = frozen.from
  }

  static async begin(call: FreezeCall, clock: ExternalTools['clock']): Promise<FrozenSession> {
    const { access, database, caller, slot, signal } = call
    const options = { access, database, applicationName: applicationName(caller), clock }
    const keeper = slot === undefined ? undefined : await SlotRunner.begin({ ...options, signal }, slot)
    try {
      const session = await SessionClient.open(options, signal).catch(fail(call, 'begin a session'))
      try {
        return new FrozenSession(session, { call, clock }, await freeze(session, call, keeper))
      } catch (error) {
        await session.close()
        throw error
      }
    } finally {
      await keeper?.end()
    }
  }

  /** Sequences first: they take no part in snapshots, and the tool must not read them before we do. */
  async catalog(): Promise<CatalogAnswer> {
    const [row] = await ask(this.#session, this.#call, catalogQuestion)
    // Sound: the types are those that the statement builds.
    return JSON.parse(row?.['answer'] ?? 'null') as CatalogAnswer
  }

  /**
   * Nobody empties, rewrites or drops one of them from here on. Who waits for that would be let in when the tool has ended, and we are behind
   * him: what he leaves is in no snapshot.
   */
  async keepTables({ tables }: CatalogAnswer): Promise<void> {
    if (tables !== null && tables.length > 0) await ask(this.#session, this.#call, keepStatement(tables))
  }

  async publicRights(): Promise<PublicRights> {
    const [row] = await ask(this.#session, this.#call, publicRightsQuestion)
    // Sound: the types are those that the statement builds.
    return JSON.parse(row?.['answer'] ?? 'null') as PublicRights
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
  readonly call: LogicalCall
  readonly clock: ExternalTools['clock']
}

interface Frozen {
  readonly source: SourceFacts
  readonly snapshot: string
  readonly from: LogPosition | undefined
}

async function freeze(session: SessionClient, call: FreezeCall, keeper: SlotRunner | undefined): Promise<Frozen> {
  const from = await keeper?.hold(session)
  if (keeper === undefined) await ask(session, call, call.asOwner ? beginFrozenForOwner : beginFrozen)
  await ask(session, call, frozenSettings)
  if (call.asOwner) await ask(session, call, liftPolicies)
  const [row] = await ask(session, call, frozenQuestion)
  // Sound: the types are those that the statement builds.
  const source = JSON.parse(row?.['answer'] ?? 'null') as SourceFacts
  if (from !== undefined) await keeper?.keep(from)
  return { source, snapshot: row?.['snapshot'] ?? '', from }
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
