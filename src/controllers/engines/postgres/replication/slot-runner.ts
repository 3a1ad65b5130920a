// Creates a slot that begins at a snapshot. Rows of the snapshot and changes from the slot are together complete,
// without duplicates. No snapshot that logical decoding built reads rows, because PostgreSQL may lose rows that way
// (docs/decisions/0029). If a call dies, the server ends its session, and with it a temporary slot.
import { type ExternalTools, sleep } from '../../../../index.ts'
import { EngineError } from '../../engine-error.ts'
import type { LogPosition } from '../../log-position.ts'
import type { TableName } from '../../replication.ts'
import type { ServerAccess } from '../../server-access.ts'
import { asEngineError } from '../failure.ts'
import { SessionClient } from '../session-client.ts'
import { temporarySlot } from './replication-names.ts'
import {
  advanceSlot,
  dropSlotAt,
  endHolder,
  exportSnapshot,
  flush,
  keepSlot,
  makeTemporarySlot,
  quietMoment,
  quietMs,
  slotSettings,
  slotWaitMs,
  vacuumGivesWay,
} from './slot-statements.ts'

export interface SlotPlace {
  /** Access of a role that may lock the tables and create slots. */
  readonly access: ServerAccess
  readonly database: string
  readonly applicationName: string
  readonly clock: ExternalTools['clock']
  readonly signal: AbortSignal
}

export interface DesiredSlot {
  /** Name of the slot, and of the publication. Without the publication, no slot is created. */
  readonly name: string
  /** Tables of the publication. */
  readonly tables: readonly TableName[]
  /** Position at which the slot of an earlier attempt begins, if one was observed. */
  readonly replaces: LogPosition | undefined
}

const maxTries = 60
const backoff = { baseMs: 100, capMs: 5_000 }
/** Added to the server's limit, so that the client waits longer. */
const spareMs = 30_000

export class SlotRunner {
  readonly #place: SlotPlace
  readonly #wish: DesiredSlot
  readonly #session: SessionClient

  private constructor(place: SlotPlace, wish: DesiredSlot, session: SessionClient) {
    this.#place = place
    this.#wish = wish
    this.#session = session
  }

  /**
   * Drops the slot of an earlier attempt, whose snapshot no longer exists. Keeps a slot that was created since the
   * observation. Waits for the transactions in progress.
   */
  static async begin(place: SlotPlace, wish: DesiredSlot): Promise<SlotRunner> {
    const session = await openSession(place)
    const runner = new SlotRunner(place, wish, session)
    try {
      await runner.#ask(session, slotSettings)
      await runner.#ask(session, endHolder, [runner.#temporary])
      await runner.#ask(session, dropSlotAt, [wish.name, wish.replaces ?? null])
      await runner.#ask(session, makeTemporarySlot, [runner.#temporary])
      return runner
    } catch (error) {
      await session.close()
      throw error
    }
  }

  /** Leaves `session` in a transaction whose snapshot is at the returned position. */
  async hold(session: SessionClient): Promise<LogPosition> {
    const { clock, signal } = this.#place
    await this.#ask(session, vacuumGivesWay)
    for (let tried = 1; ; tried += 1) {
      const position = await this.#tryToHold(session)
      if (position !== undefined) return position
      if (tried >= maxTries) throw this.#busy(`${maxTries} tries of ${quietMs} ms`)
      await sleep(clock, Math.min(backoff.capMs, backoff.baseMs * 2 ** tried), signal)
    }
  }

  /**
   * Makes the slot permanent: the source keeps the changes after `position`. AlreadyExists: another client's slot is
   * there.
   */
  async keep(position: LogPosition): Promise<void> {
    const { name } = this.#wish
    // A crash could undo a commit that is in the snapshot but not on disk yet.
    await this.#ask(this.#session, flush, [name])
    await this.#ask(this.#session, advanceSlot, [this.#temporary, position])
    const kept = await this.#ask(this.#session, keepSlot, [this.#temporary, name])
    if (kept.length > 0) return
    const message = `publication ${name}, for which a slot was to be made, is gone`
    throw new EngineError({ code: 'NotFound', message, remedy: 'retry' })
  }

  /** Like `hold` and `keep`, on a separate session. */
  async share(use: (snapshot: string) => Promise<unknown>): Promise<LogPosition> {
    const session = await openSession(this.#place)
    try {
      const from = await this.hold(session)
      const [row] = await this.#ask(session, exportSnapshot)
      await use(String(row?.['snapshot']))
      await this.keep(from)
      return from
    } finally {
      await session.close()
    }
  }

  /** Never rejects. */
  async end(): Promise<void> {
    await this.#session.close()
  }

  get #temporary(): string {
    return temporarySlot(this.#wish.name)
  }

  async #tryToHold(session: SessionClient): Promise<LogPosition | undefined> {
    try {
      const [row] = await this.#ask(session, quietMoment(this.#wish.tables))
      return String(row?.['position'])
    } catch (error) {
      if (!session.isUsable || !(error instanceof EngineError) || !isBusy(error)) throw error
      await this.#ask(session, 'ROLLBACK')
      return undefined
    }
  }

  async #ask(session: SessionClient, text: string, values: readonly (string | null)[] = []) {
    const { signal } = this.#place
    try {
      return (await session.query(text, values, { signal, limitMs: slotWaitMs + spareMs })).rows
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const { host, port, username } = this.#place.access
      const failure = asEngineError(error, { attempt: `make a slot on ${host}:${port}`, admin: username })
      throw text === makeTemporarySlot && failure.sqlState === timedOut ? this.#slow() : failure
    }
  }

  #slow(): EngineError {
    const { host, port } = this.#place.access
    const message = `no slot could be made on ${host}:${port} within ${slotWaitMs / 60_000} minutes, as a transaction has been writing for longer; let it end (pg_stat_activity and pg_prepared_xacts show it)`
    return new EngineError({ code: 'Contention', message, remedy: 'retry' })
  }

  #busy(how: string): EngineError {
    const { host, port } = this.#place.access
    const message = `the tables on ${host}:${port} were written to without an end in ${how}, so that no snapshot could be taken between two transactions; let long ones end (pg_locks and pg_prepared_xacts show them)`
    return new EngineError({ code: 'Contention', message, remedy: 'retry' })
  }
}

/** Returns the position at which the slot begins. Other sessions can import its snapshot while `use` runs. */
export async function holdMoment(
  place: SlotPlace,
  wish: DesiredSlot,
  use: (snapshot: string) => Promise<unknown>,
): Promise<LogPosition> {
  const runner = await SlotRunner.begin(place, wish)
  try {
    return await runner.share(use)
  } finally {
    await runner.end()
  }
}

/** Statement timeout. The others are an unavailable lock and a deadlock. */
const timedOut = '57014'

function isBusy({ sqlState }: EngineError): boolean {
  return sqlState === timedOut || sqlState === '55P03' || sqlState === '40P01'
}

async function openSession({ access, database, applicationName, clock, signal }: SlotPlace): Promise<SessionClient> {
  try {
    return await SessionClient.open({ access, database, applicationName, clock }, signal)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw asEngineError(error, { attempt: `connect to ${access.host}:${access.port}`, admin: access.username })
  }
}
