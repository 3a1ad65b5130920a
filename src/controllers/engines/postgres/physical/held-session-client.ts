// Retains a server's WAL during a copy, by a temporary replication slot. Invariant: the slot ends with its session, so
// that no WAL is retained for a dead worker.
import type { ExternalTools } from '../../../../index.ts'
import type { SourceFacts } from '../../logical-engine.ts'
import type { HoldCall } from '../../physical-engine.ts'
import { asEngineError } from '../failure.ts'
import { serverQuestion } from '../logical/contents-questions.ts'
import { applicationName } from '../postgres-driver.ts'
import { limits, SessionClient } from '../session-client.ts'
import { literal, sql } from '../sql-text.ts'

export class HeldSession {
  readonly source: SourceFacts
  readonly sizeBytes: number
  readonly #session: SessionClient

  private constructor(session: SessionClient, source: SourceFacts, sizeBytes: number) {
    this.#session = session
    this.source = source
    this.sizeBytes = sizeBytes
  }

  static async begin(call: HoldCall, clock: ExternalTools['clock']): Promise<HeldSession> {
    const { access, database, caller, attempt } = call
    const options = { access, database, applicationName: applicationName(caller), clock }
    const session = await SessionClient.open(options, call.signal).catch(fail(call, 'begin a session'))
    try {
      const [row] = await ask(session, call, serverQuestion)
      // Sound: the types are those that the statement builds.
      const source = JSON.parse(row?.['answer'] ?? 'null') as SourceFacts
      await ask(session, call, heldSlot(attempt))
      return new HeldSession(session, source, Number(row?.['size'] ?? 0))
    } catch (error) {
      await session.close()
      throw error
    }
  }

  async end(): Promise<void> {
    await this.#session.close()
  }
}

/** Retains WAL from now on, and ends with its session. */
function heldSlot(attempt: string) {
  const name = `konverge_${attempt.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')}`
  return sql`SELECT pg_catalog.pg_create_physical_replication_slot(${literal(name)}, true, true)`
}

type Rows = readonly Readonly<Record<string, string | null>>[]

async function ask(session: SessionClient, call: HoldCall, text: string): Promise<Rows> {
  const { rows } = await session
    .query(text, [], { signal: call.signal, limitMs: limits.answerMs })
    .catch(fail(call, 'prepare a copy of the server'))
  return rows
}

function fail({ access, database, signal }: HoldCall, verb: string): (thrown: unknown) => never {
  return (thrown) => {
    if (signal.aborted) throw signal.reason
    const attempt = `${verb} in database ${JSON.stringify(database)} on ${access.host}:${access.port}`
    throw asEngineError(thrown, { attempt, admin: access.username })
  }
}
