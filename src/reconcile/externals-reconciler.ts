// Reconciles the external resources of one resource, one after the other in the order of their declaration, and removes
// them in reverse. The provisioner has the protocol; this class gives it the resource's desired state, journal entries
// and Events.

import type { Clock } from '../base/clock.ts'
import type { Log, Tracer } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import { defaultCadenceMs } from '../external/cadence.ts'
import type { ExternalRecord, ExternalReport, ExternalTools } from '../external/external.ts'
import type { Pass } from '../external/pass.ts'
import type { EffectGate } from '../external/protocol-runner.ts'
import { notObserved, type Provision } from '../external/provision.ts'
import { Provisioner } from '../external/provisioner.ts'
import type { LiveObject } from '../object/object.ts'
import type { EventReport } from './context.ts'
import type { Controller } from './definition.ts'
import type { External } from './external-definition.ts'
import { outcomeOfExternals, outcomeOfRemoval } from './external-outcome.ts'
import type { PartResult } from './external-part-result.ts'
import { logFieldsOf } from './log-fields.ts'
import { type Child, type Outcome, outcomeOfError, recordCatchUp } from './outcome.ts'
import { parentOf } from './parent.ts'
import { type JournalChange, type Records, recordOf, recordsOf, StaleRecordsError, withRecord } from './records.ts'
import type { RecordsRecorder } from './records-recorder.ts'
import { steeringOf } from './steering.ts'

export interface ExternalsReconcilerOptions {
  readonly controller: Controller
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly tracer: Tracer
  readonly tools: ExternalTools
  readonly gate: EffectGate
  readonly records: RecordsRecorder
  readonly recordEvent: (regarding: LiveObject, event: EventReport) => void
}

export type ExternalsResult = PartResult<ExternalReport>

interface Kept {
  readonly external: External<unknown, unknown, unknown>
  readonly provisioner: Provisioner
}

export class ExternalsReconciler {
  readonly #options: ExternalsReconcilerOptions
  readonly #kept: readonly Kept[]

  constructor(options: ExternalsReconcilerOptions) {
    const { controller, clock, random, log, tracer, tools, gate } = options
    this.#options = options
    this.#kept = controller.external.map((external) => {
      const driver = external.driver(tools)
      const { name } = external
      return { external, provisioner: new Provisioner({ name, driver, clock, random, log, tracer, gate }) }
    })
  }

  /**
   * Returns the external resources after the last reconcile; those that no reconcile of this process has observed are
   * left out.
   */
  lastReports({ metadata: { uid } }: LiveObject): readonly ExternalReport[] {
    return this.#kept.flatMap(({ provisioner }) => provisioner.lastReport(uid) ?? [])
  }

  /** Call when the resource is gone. */
  forget(uid: string): void {
    for (const { provisioner } of this.#kept) provisioner.forget(uid)
  }

  /** Result of a reconcile that does not reach them. */
  untouched(object: LiveObject): ExternalsResult {
    return this.#end(object, new ExternalsReconcile(object), [], { kind: 'settled' })
  }

  /** Rejects only when aborted. */
  async provide(
    object: LiveObject,
    { facts, children }: { readonly facts: unknown; readonly children: readonly Child[] },
    signal: AbortSignal,
  ): Promise<ExternalsResult> {
    const turn = new ExternalsReconcile(object)
    const parent = parentOf(object)
    const provisions: Provision[] = []
    try {
      for (const { external, provisioner } of this.#kept) {
        const earlier = provisions.map(({ report }) => report)
        const wish = external.desired({ object: parent, facts, children, earlier })
        const pass = this.#passFor(object, external, turn, signal)
        const provision =
          wish.kind === 'none' && pass.record !== undefined
            ? await provisioner.remove(external.removal({ object: parent, facts }), pass)
            : await provisioner.provide(wish, pass)
        provisions.push(this.#settled(object, external, turn, provision))
      }
    } catch (thrown) {
      signal.throwIfAborted()
      return this.#end(object, turn, provisions, outcomeOfThrown(thrown))
    }
    return this.#end(object, turn, provisions, outcomeOfExternals(provisions))
  }

  /**
   * Performs one step of the removal, the last declared first; `isOver` when none is left. Calls `factsOf` only if one
   * is left. Rejects only when aborted.
   */
  async remove(
    object: LiveObject,
    factsOf: () => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<ExternalsResult & { readonly isOver: boolean }> {
    const turn = new ExternalsReconcile(object)
    const provisions: Provision[] = []
    const parent = parentOf(object)
    try {
      const facts = turn.next.length === 0 ? undefined : await factsOf()
      for (const { external, provisioner } of this.#kept.toReversed()) {
        const pass = this.#passFor(object, external, turn, signal)
        const provision =
          pass.record === undefined
            ? provisioner.over(pass)
            : await provisioner.remove(external.removal({ object: parent, facts }), pass)
        provisions.push(this.#settled(object, external, turn, provision))
        if (provision.record !== undefined) break
      }
      if (provisions.every(({ record }) => record === undefined)) this.#letGo(object, turn)
    } catch (thrown) {
      signal.throwIfAborted()
      return { ...this.#end(object, turn, provisions, outcomeOfThrown(thrown)), isOver: false }
    }
    const left = provisions.filter(({ record }) => record !== undefined)
    const outcome = outcomeOfRemoval(left)
    const end = this.#end(object, turn, provisions, outcome ?? { kind: 'settled' })
    return { ...end, isOver: outcome === undefined }
  }

  /** Releases entries of Externals that an earlier version of the controller declared: no driver knows them. */
  #letGo(object: LiveObject, turn: ExternalsReconcile): void {
    for (const { name, externalName } of turn.next) {
      const note = `${name} ${JSON.stringify(externalName)} stays: this version of the controller does not know it`
      this.#options.recordEvent(object, { type: 'Warning', reason: 'LeftAlone', action: 'Delete', note })
    }
    turn.next = []
  }

  #passFor(
    object: LiveObject,
    { name, cadenceMs = defaultCadenceMs }: External<unknown, unknown, unknown>,
    turn: ExternalsReconcile,
    signal: AbortSignal,
  ): Pass {
    const { uid, namespace = '', generation = 0 } = object.metadata
    const { intervalMs, token: demand } = steeringOf(object)
    return {
      namespace,
      token: { uid, generation },
      record: recordOf(turn.next, name),
      cadenceMs: intervalMs ?? cadenceMs,
      demand,
      store: (record) => this.#store(object, turn, record, signal),
      logFields: logFieldsOf(object),
      signal,
    }
  }

  async #store(
    object: LiveObject,
    turn: ExternalsReconcile,
    record: ExternalRecord,
    signal: AbortSignal,
  ): Promise<void> {
    const next = withRecord(turn.next, record.name, record)
    await this.#options.records.store(object, turn.recordsWith(next), signal)
    turn.stored = next
    turn.next = next
  }

  #settled(
    object: LiveObject,
    { name }: External<unknown, unknown, unknown>,
    turn: ExternalsReconcile,
    provision: Provision,
  ): Provision {
    turn.next = withRecord(turn.next, name, provision.record)
    for (const event of provision.events) this.#options.recordEvent(object, event)
    return provision
  }

  #end(
    object: LiveObject,
    turn: ExternalsReconcile,
    provisions: readonly Provision[],
    outcome: Outcome,
  ): ExternalsResult {
    const found = new Map(provisions.map(({ report }) => [report.name, report]))
    const reports = this.#kept.map(
      ({ external: { name }, provisioner }) =>
        found.get(name) ?? provisioner.lastReport(object.metadata.uid) ?? notObserved(name, recordOf(turn.next, name)),
    )
    const looks = provisions.flatMap(({ lookInMs }) => lookInMs ?? [])
    const lookMs = looks.length === 0 ? undefined : Math.min(...looks)
    return { reports, records: turn.recordsWith(turn.next), outcome, lookMs }
  }
}

/** The journal entries during a reconcile. */
class ExternalsReconcile {
  stored: readonly ExternalRecord[]
  next: readonly ExternalRecord[]
  readonly #sagas: Records['sagas']

  constructor(object: LiveObject) {
    const { external, sagas } = recordsOf(object)
    this.stored = external
    this.next = external
    this.#sagas = sagas
  }

  /** Leaves the other entries unchanged. */
  recordsWith(next: readonly ExternalRecord[]): JournalChange {
    const sagas = this.#sagas
    return { stored: { external: this.stored, sagas }, next: { external: next, sagas } }
  }
}

function outcomeOfThrown(thrown: unknown): Outcome {
  return thrown instanceof StaleRecordsError ? { kind: 'waiting', ...recordCatchUp } : outcomeOfError(thrown)
}
