// Property of leader election: never two leaders at once. Clocks of candidates have different offsets and speeds, the
// network delays and loses requests and responses, processes sleep, and users edit the Lease. Time in this test is
// global; no process knows it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Clock } from '../../src/base/clock.ts'
import type { LiveObject } from '../../src/object/object.ts'
import {
  afterClaim,
  afterConflict,
  afterFailure,
  afterRead,
  type Candidate,
  defaultTiming,
  type ElectionStep,
  jitterFactor,
  nextStep,
  notYetElected,
} from '../../src/operator/election.ts'
import { claimPatch, firstLease, holderOf, releasePatch } from '../../src/operator/lease.ts'
import { LeaseServer } from './leases.ts'

const location = { namespace: 'ops', name: 'konverge' }
const attemptMs = defaultTiming.renewDeadlineMs / 2

/** Fate of one request. */
interface Luck {
  readonly toServerMs: number
  readonly toUsMs: number
  readonly lost: 'request' | 'answer' | 'none'
  readonly jitter: number
  /** Sleep of the process after the step. */
  readonly sleepMs: number
}

interface ProcessPlan {
  readonly startMs: number
  /** Speed of its clock; at most 1.49 times that of another. */
  readonly rate: number
  readonly offsetMs: number
  readonly luck: readonly Luck[]
  readonly endsAfterSteps: number
  /** `released`: it ends in order and releases the Lease. */
  readonly end: 'released' | 'killed'
}

interface Edit {
  readonly atMs: number
  readonly kind: 'holder removed' | 'holder changed' | 'duration shortened' | 'deleted' | 'touched'
}

interface Reign {
  readonly who: string
  readonly fromMs: number
  untilMs: number
}

/** Events in the order of global time. */
class WorldTime {
  readonly #events: { readonly atMs: number; readonly run: () => void }[] = []
  nowMs = 0

  at(atMs: number, run: () => void): void {
    this.#events.push({ atMs: Math.max(atMs, this.nowMs), run })
  }

  runUntil(endMs: number): void {
    for (;;) {
      this.#events.sort((left, right) => left.atMs - right.atMs)
      const next = this.#events[0]
      if (next === undefined || next.atMs > endMs) return
      this.#events.shift()
      this.nowMs = next.atMs
      next.run()
    }
  }
}

class CandidateProcess {
  readonly #world: WorldTime
  readonly #server: LeaseServer
  readonly #plan: ProcessPlan
  readonly #candidate: Candidate
  readonly #clock: Clock
  readonly reigns: Reign[] = []
  election = notYetElected
  #steps = 0

  constructor(world: WorldTime, server: LeaseServer, plan: ProcessPlan, identity: string) {
    this.#world = world
    this.#server = server
    this.#plan = plan
    this.#candidate = { identity, timing: defaultTiming }
    // Wall clocks of processes are unrelated.
    const now = () => Date.UTC(2026, 0, 1) + plan.offsetMs * 1_000 + this.#localMs()
    this.#clock = { now, monotonicMs: () => this.#localMs(), setTimer: () => ({ cancel: () => {} }) }
    world.at(plan.startMs, () => this.#step())
  }

  #localMs(): number {
    return this.#plan.offsetMs + this.#world.nowMs * this.#plan.rate
  }

  #worldMsOf(localMs: number): number {
    return (localMs - this.#plan.offsetMs) / this.#plan.rate
  }

  #luck(): Luck {
    const { luck } = this.#plan
    return luck[this.#steps % luck.length] ?? { toServerMs: 1, toUsMs: 1, lost: 'none', jitter: 0, sleepMs: 0 }
  }

  #step(): void {
    this.#steps += 1
    const step = nextStep(this.election, this.#localMs())
    if (step.kind === 'lost') return this.#endReign()
    if (this.#steps > this.#plan.endsAfterSteps) return this.#end()
    // Timers are slightly late: doubles round, and a timer must not be early forever.
    if (step.kind === 'wait') return this.#world.at(this.#worldMsOf(step.untilMs) + 0.01, () => this.#step())
    this.#send(step)
  }

  #send(step: Exclude<ElectionStep, { kind: 'lost' | 'wait' }>): void {
    const { toServerMs, toUsMs, lost, jitter, sleepMs } = this.#luck()
    const sentMs = this.#localMs()
    const arrivalMs = this.#world.nowMs + toServerMs
    const limitMs = Math.min(attemptMs, (this.election.leadsUntilMs ?? Number.POSITIVE_INFINITY) - sentMs)
    const timeoutMs = this.#worldMsOf(sentMs + limitMs)
    const isAnswered = lost === 'none' && arrivalMs + toUsMs < timeoutMs
    // A request that timed out may still arrive.
    if (lost !== 'request') {
      this.#world.at(arrivalMs, () => {
        const answer = this.#ask(step)
        if (isAnswered)
          this.#world.at(arrivalMs + toUsMs + sleepMs, () => {
            this.#hear(step, answer, { sentMs, jitter })
            this.#step()
          })
      })
    }
    if (isAnswered) return
    this.#world.at(timeoutMs + sleepMs, () => {
      this.election = afterFailure(this.election, this.#candidate, { nowMs: this.#localMs(), jitter })
      this.#step()
    })
  }

  #ask(step: Exclude<ElectionStep, { kind: 'lost' | 'wait' }>): LiveObject | 'conflict' | undefined {
    if (step.kind === 'read') return this.#server.lease
    const claim = { identity: this.#candidate.identity, durationMs: defaultTiming.durationMs }
    return step.lease === undefined
      ? this.#server.create(firstLease(location, claim, this.#clock))
      : this.#server.patch(claimPatch(step.lease, claim, this.#clock))
  }

  #hear(
    step: ElectionStep,
    answer: LiveObject | 'conflict' | undefined,
    { sentMs, jitter }: { sentMs: number; jitter: number },
  ): void {
    const nowMs = this.#localMs()
    if (answer === 'conflict') this.election = afterConflict(this.election, this.#candidate, { nowMs })
    else if (step.kind === 'read') this.election = afterRead(this.election, answer, this.#candidate, { nowMs, jitter })
    else if (answer !== undefined) {
      this.election = afterClaim(this.election, answer, this.#candidate, { sentMs, nowMs })
      const { leadsUntilMs } = this.election
      if (leadsUntilMs === undefined || leadsUntilMs <= nowMs) return
      this.#endReign()
      this.reigns.push({
        who: this.#candidate.identity,
        fromMs: this.#world.nowMs,
        untilMs: this.#worldMsOf(leadsUntilMs),
      })
    }
  }

  /** Closes the fence now, unless it is closed already. */
  #endReign(): void {
    const reign = this.reigns.at(-1)
    if (reign !== undefined) reign.untilMs = Math.min(reign.untilMs, this.#world.nowMs)
  }

  #end(): void {
    this.#endReign()
    if (this.#plan.end === 'killed') return
    const { lease } = this.#server
    if (lease !== undefined && holderOf(lease) === this.#candidate.identity) this.#server.patch(releasePatch(lease))
  }
}

function overlap(reigns: readonly Reign[]): string | undefined {
  for (const one of reigns)
    for (const other of reigns)
      if (one.who < other.who && one.fromMs < other.untilMs && other.fromMs < one.untilMs)
        return `${one.who} leads ${one.fromMs}-${one.untilMs}, ${other.who} ${other.fromMs}-${other.untilMs}`
  return undefined
}

function edit(server: LeaseServer, kind: Edit['kind'], everybodyHasSeenIt: boolean): void {
  switch (kind) {
    case 'holder removed':
      return server.edit({ holderIdentity: '' })
    case 'holder changed':
      return server.edit({ holderIdentity: 'nobody-we-know' })
    case 'duration shortened':
      return server.edit({ leaseDurationSeconds: 1 })
    case 'touched':
      return server.edit({})
    case 'deleted':
      // A process that never observed the deleted Lease cannot know its holder: users must not delete it then.
      if (everybodyHasSeenIt) server.lease = undefined
  }
}

const luck: fc.Arbitrary<Luck> = fc.record({
  toServerMs: fc.oneof({ weight: 6, arbitrary: fc.nat(50) }, fc.nat(8_000)),
  toUsMs: fc.oneof({ weight: 6, arbitrary: fc.nat(50) }, fc.nat(8_000)),
  lost: fc.constantFrom('none', 'none', 'none', 'none', 'request', 'answer'),
  jitter: fc.double({ min: 0, max: 0.999, noNaN: true }),
  sleepMs: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.nat(30_000)),
})
const speed = fc.double({ min: 1, max: 1.49, noNaN: true })
const plan: fc.Arbitrary<ProcessPlan> = fc.record({
  startMs: fc.nat(20_000),
  rate: speed,
  offsetMs: fc.nat(10 ** 7),
  luck: fc.array(luck, { minLength: 1, maxLength: 20 }),
  endsAfterSteps: fc.oneof(fc.constant(10_000), fc.integer({ min: 1, max: 60 })),
  end: fc.constantFrom('released', 'killed'),
})
const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({
    atMs: fc.nat(200_000),
    kind: fc.constantFrom<Edit['kind'][]>(
      'holder removed',
      'holder changed',
      'duration shortened',
      'deleted',
      'touched',
    ),
  }),
  { maxLength: 6 },
)

describe('an election', () => {
  it('never has two leaders', () => {
    let reigns = 0
    fc.assert(
      fc.property(fc.array(plan, { minLength: 2, maxLength: 3 }), edits, (plans, changes) => {
        const world = new WorldTime()
        const server = new LeaseServer()
        const processes = plans.map((its, index) => new CandidateProcess(world, server, its, `process-${index}`))
        for (const { atMs, kind } of changes) {
          world.at(atMs, () =>
            edit(
              server,
              kind,
              processes.every(({ election }) => election.sighting?.lease !== undefined),
            ),
          )
        }
        world.runUntil(300_000)
        const all = processes.flatMap((process) => process.reigns)
        reigns += all.length
        expect(overlap(all)).toBeUndefined()
      }),
    )
    expect(reigns).toBeGreaterThan(500)
  })

  it('elects a leader after the Lease expires, and at the next read after a release', () => {
    const quick: Luck = { toServerMs: 5, toUsMs: 5, lost: 'none', jitter: 0.5, sleepMs: 0 }
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 40 }), speed, fc.constantFrom('killed', 'released'), (steps, rate, end) => {
        const world = new WorldTime()
        const server = new LeaseServer()
        const usual = { rate, offsetMs: 0, luck: [quick], end } as const
        const old = new CandidateProcess(world, server, { ...usual, startMs: 0, endsAfterSteps: steps }, 'old')
        const heir = new CandidateProcess(world, server, { ...usual, startMs: 100, endsAfterSteps: 10_000 }, 'heir')
        world.runUntil(200_000)
        const lastMs = old.reigns.at(-1)?.untilMs ?? 0
        const fromMs = heir.reigns[0]?.fromMs ?? Number.POSITIVE_INFINITY
        // A read observed its last renewal, and the Lease expires from then.
        const lookMs = defaultTiming.retryPeriodMs * jitterFactor
        const limitMs = end === 'killed' ? defaultTiming.durationMs + lookMs : lookMs
        expect(fromMs - lastMs).toBeLessThan(limitMs + 100)
      }),
    )
  })
})
