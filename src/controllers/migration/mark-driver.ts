// Observes the markers of a migration in its database, which only workers change. An empty list of markers is an
// observation too, so the external resource always exists.
import type { Consistency, ExternalCall, ExternalDriver, Observation } from '../../index.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import { loadMarks } from '../engines/postgres/migration/mark-loader.ts'
import type { RecordedStep } from '../engines/recorded-step.ts'
import type { Caller, ServerAccess } from '../engines/server-access.ts'

export interface DesiredMarks {
  readonly access: ServerAccess
  readonly caller: Caller
  readonly database: string
  /** `namespace/name` */
  readonly migration: string
  /** Change since the last observation, which triggers another one. */
  readonly occasion: string
}

export interface ObservedMarks {
  readonly occasion: string
  readonly record: readonly RecordedStep[]
}

type Call = ExternalCall<DesiredMarks>

export class MarkDriver implements ExternalDriver<DesiredMarks, ObservedMarks> {
  readonly consistency: Consistency = { visibilityDelayMs: 0, pollMs: 5_000, createTimeoutMs: 60_000 }
  readonly #engine: DatabaseEngine

  constructor(engine: DatabaseEngine) {
    this.#engine = engine
  }

  async observe({ desired, token, signal }: Call): Promise<Observation<ObservedMarks>> {
    const { access, caller, database, migration, occasion } = desired
    const server = this.#engine.server(access, { caller, signal })
    const record = await loadMarks(server, { database, migration, admin: access.username })
    return { kind: 'available', providerID: `marks://${migration}`, owner: token, observed: { occasion, record } }
  }

  differences(): readonly [] {
    return []
  }

  // Never called: the markers always exist and never differ.
  async create(): Promise<void> {}
  async update(): Promise<void> {}
  async delete(): Promise<void> {}
}
