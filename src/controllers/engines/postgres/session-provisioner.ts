// Pool of sessions of one credential on one server: at most five, over all databases. A use takes an idle session in
// its database, or a place for a new one; otherwise it waits, for a limited time. Opening a session costs a server more
// than most uses. Callers that observe several databases in turn therefore reserve visits, whose number is limited so
// that each keeps its session. Invariant: one namespace never holds all sessions or all visits while another has
// requested one recently, so it cannot block the others.
import type { ExternalTools } from '../../../index.ts'
import { EngineError } from '../engine-error.ts'
import { failureOf } from './failure.ts'
import { chooseSession } from './session-choice.ts'
import type { SessionClient } from './session-client.ts'
import { WaitingLine } from './waiting-line.ts'

type Clock = ExternalTools['clock']

export const maxSessions = 5
/** The other sessions are for uses of the server as a whole. */
const maxVisits = 3
const idleMs = 10_000
const waitMs = 30_000
/** Duration of a lower limit after the server was full. */
const modestMs = 60_000
/**
 * Duration for which a place is reserved for a namespace after its request: longer than the usual interval between
 * observations.
 */
const rememberedMs = 10 * 60_000

export interface ProvisionerOptions {
  readonly clock: Clock
  /** Visitors return to it, and it is not part of a visit. */
  readonly maintenanceDatabase: string
  /** Logs in to a database. */
  readonly open: (database: string, signal: AbortSignal) => Promise<SessionClient>
  /** Called when the pool has no session and no waiter. */
  readonly onEmpty: () => void
}

/** A right to one connection, which may already have its session. */
export interface Place {
  /** Returns the session. `isReused`: an earlier use had it. */
  connect(signal: AbortSignal): Promise<{ readonly session: SessionClient; readonly isReused: boolean }>
  /** Closes the session, if there is one. The next connect opens another. */
  discard(): Promise<void>
}

export interface SessionUse {
  readonly database: string
  /** The user of the session. If it has a visit, the visit is now in this database. */
  readonly visitor: Visitor
  readonly signal: AbortSignal
}

/** The resource for which sessions are used. */
export interface Visitor {
  readonly name: string
  readonly namespace: string
}

interface Ask {
  readonly database: string
  readonly namespace: string
}

interface Visit {
  readonly namespace: string
  /** Undefined: in no database yet. */
  readonly database: string | undefined
}

export class SessionProvisioner {
  readonly #options: ProvisionerOptions
  readonly #slots = new Set<Slot>()
  readonly #uses: WaitingLine<Ask, Slot>
  readonly #door: WaitingLine<Visitor, () => void>
  /** By the name of the visitor. */
  readonly #visits = new Map<string, Visit>()
  /** Time of the last request of each namespace. */
  readonly #askedAtMs = new Map<string, number>()
  #limit = maxSessions
  #modestUntilMs = 0
  #isClosed = false

  constructor(options: ProvisionerOptions) {
    const { clock } = options
    this.#options = options
    this.#uses = new WaitingLine({ clock, limitMs: waitMs, tooLong: () => busyError(`all ${this.#limit} sessions`) })
    this.#door = new WaitingLine({ clock, limitMs: waitMs, tooLong: () => busyError('the sessions') })
  }

  /** Starts a visit in order of arrival. Call the returned function to end it. */
  visit(visitor: Visitor, signal: AbortSignal): Promise<() => void> {
    if (this.#isClosed) return Promise.reject(closedError())
    this.#noteAsk(visitor.namespace)
    const entered = this.#door.wait(visitor, signal)
    this.#serve()
    return entered
  }

  /** Runs the work with one place, and releases the place when the work settles. */
  async use<T>({ database, visitor, signal }: SessionUse, work: (place: Place) => Promise<T>): Promise<T> {
    const { name, namespace } = visitor
    if (database !== this.#options.maintenanceDatabase && this.#visits.has(name))
      this.#visits.set(name, { namespace, database })
    const ask = { database, namespace }
    const held = { slot: await this.#acquire(ask, signal) }
    const place: Place = {
      connect: (until) => this.#connect(held, ask, until),
      discard: () => discard(held.slot),
    }
    try {
      return await work(place)
    } finally {
      await this.#release(held.slot)
    }
  }

  /** Closes idle sessions in a database, so that it can be dropped or renamed. */
  async leave(database: string): Promise<void> {
    const idle = [...this.#slots].filter((slot) => slot.database === database && slot.idleSinceMs !== undefined)
    await Promise.all(idle.map((slot) => this.#end(slot)))
  }

  /** Closes all sessions, also busy ones, and rejects all waiters. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#door.close(closedError())
    this.#uses.close(closedError())
    await Promise.all([...this.#slots].map((slot) => this.#end(slot)))
  }

  #acquire(ask: Ask, signal: AbortSignal): Promise<Slot> {
    if (this.#isClosed) return Promise.reject(closedError())
    this.#noteAsk(ask.namespace)
    const acquired = this.#uses.wait(ask, signal)
    this.#serve()
    return acquired
  }

  #serve(): void {
    this.#openDoor()
    if (this.#options.clock.monotonicMs() >= this.#modestUntilMs) this.#limit = maxSessions
    this.#uses.serve((ask) => this.#slotFor(ask))
    if (this.#slots.size === 0 && this.#visits.size === 0 && this.#uses.isEmpty) this.#options.onEmpty()
  }

  #openDoor(): void {
    this.#door.serve(({ name, namespace }) => {
      if (this.#visits.size >= maxVisits || this.#visits.has(name)) return undefined
      const own = [...this.#visits.values()].filter((visit) => visit.namespace === namespace)
      if (own.length >= this.#shareOf(namespace, maxVisits)) return undefined
      this.#visits.set(name, { namespace, database: undefined })
      return () => this.#endVisit(name)
    })
  }

  #endVisit(name: string): void {
    this.#visits.delete(name)
    this.#serve()
  }

  #noteAsk(namespace: string): void {
    const nowMs = this.#options.clock.monotonicMs()
    this.#askedAtMs.set(namespace, nowMs)
    for (const [other, askedAtMs] of this.#askedAtMs)
      if (nowMs - askedAtMs > rememberedMs) this.#askedAtMs.delete(other)
  }

  /** Returns the share of `all` that one namespace may hold: one less if other namespaces are active. */
  #shareOf(namespace: string, all: number): number {
    const isAlone = [...this.#askedAtMs.keys()].every((other) => other === namespace)
    return isAlone ? all : Math.max(1, all - 1)
  }

  #slotFor(ask: Ask): Slot | undefined {
    const { namespace } = ask
    const own = [...this.#slots].filter((slot) => slot.namespace === namespace && slot.idleSinceMs === undefined)
    if (own.length >= this.#shareOf(namespace, this.#limit)) return undefined
    const slot = this.#chosenFor(ask)
    if (slot !== undefined) slot.namespace = namespace
    return slot
  }

  #chosenFor({ database }: Ask): Slot | undefined {
    const visited = new Set([...this.#visits.values()].flatMap((one) => one.database ?? []))
    const choice = chooseSession([...this.#slots], { database, limit: this.#limit, visited })
    switch (choice.kind) {
      case 'wait':
        return undefined
      case 'open': {
        const slot = new Slot(database)
        this.#slots.add(slot)
        return slot
      }
      case 'reuse':
        choice.session.take()
        return choice.session
      case 'replace': {
        // Its session is closed before the next is opened.
        choice.session.take()
        choice.session.database = database
        return choice.session
      }
    }
  }

  async #connect(held: { slot: Slot }, ask: Ask, signal: AbortSignal): ReturnType<Place['connect']> {
    const { database } = ask
    for (;;) {
      const { slot } = held
      if (slot.session?.isUsable && slot.session.database === database) return { session: slot.session, isReused: true }
      await discard(slot)
      try {
        const session = await this.#options.open(database, signal)
        slot.session = session
        session.onLost(() => this.#forget(slot))
        if (this.#isClosed) await discard(slot)
        return { session, isReused: false }
      } catch (error) {
        if (!isServerFull(error) || !this.#makeDo()) throw error
        await this.#release(slot)
        held.slot = await this.#acquire(ask, signal)
      }
    }
  }

  /**
   * Lowers the limit to the current number of sessions, because the server is full. Returns false if there are none.
   */
  #makeDo(): boolean {
    const others = this.#slots.size - 1
    if (others === 0) return false
    this.#limit = Math.min(this.#limit, others)
    this.#modestUntilMs = this.#options.clock.monotonicMs() + modestMs
    return true
  }

  async #release(slot: Slot): Promise<void> {
    if (slot.session?.isUsable && !this.#isClosed) {
      const { clock } = this.#options
      slot.rest(
        clock.monotonicMs(),
        clock.setTimer(idleMs, () => void this.#end(slot)),
      )
    } else {
      await this.#end(slot)
    }
    this.#serve()
  }

  async #end(slot: Slot): Promise<void> {
    slot.take()
    await discard(slot)
    this.#slots.delete(slot)
    this.#serve()
  }

  /** Removes a session that was lost while idle. The user of a busy one releases it. */
  #forget(slot: Slot): void {
    if (slot.idleSinceMs === undefined) return
    slot.take()
    this.#slots.delete(slot)
    this.#serve()
  }
}

/** A place for one connection. */
class Slot {
  database: string
  /** Namespace of the current or last use. */
  namespace = ''
  session: SessionClient | undefined
  idleSinceMs: number | undefined
  #timer: { cancel(): void } | undefined

  constructor(database: string) {
    this.database = database
  }

  take(): void {
    this.#timer?.cancel()
    this.idleSinceMs = undefined
  }

  rest(nowMs: number, timer: { cancel(): void }): void {
    this.idleSinceMs = nowMs
    this.#timer = timer
  }
}

async function discard(slot: Slot): Promise<void> {
  const { session } = slot
  slot.session = undefined
  await session?.close()
}

function isServerFull(error: unknown): boolean {
  const { code, message } = failureOf(error)
  return code === '53300' && !/for (role|database)/.test(message)
}

function busyError(what: string): EngineError {
  const message = `${what} of this operator have been in use for ${waitMs / 1_000} s`
  return new EngineError({ code: 'TooManyConnections', message, remedy: 'retry' })
}

function closedError(): EngineError {
  return new EngineError({ code: 'ServerUnreachable', message: 'the operator is stopping', remedy: 'retry' })
}
