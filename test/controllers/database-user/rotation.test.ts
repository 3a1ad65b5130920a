// Password rotation, as a table of single steps and as a model of Secret, server and status. Invariant: it ends with a
// Secret that logs in, wherever it is interrupted.
// The model is killed between any two writes.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupRoleOf, loginRolesOf } from '../../../src/controllers/database-user/login-roles.ts'
import {
  credentialHash,
  type Held,
  loginsOf,
  type Mint,
  newestOf,
  type PasswordRule,
  type Remembered,
  type RotationInput,
  rotate,
} from '../../../src/controllers/database-user/rotation.ts'

const hour = 3_600_000
const start = Date.UTC(2026, 0, 1)
const group = groupRoleOf({ metadata: { name: 'shop' }, spec: {} })
const [first, second] = loginRolesOf(group)
const shape = { length: 32, charset: 'Alnum' } as const

const inPlace: PasswordRule = { kind: 'generate', shape, intervalMs: 10 * hour }
const dualRole: PasswordRule = { ...inPlace, overlapMs: 2 * hour }

/** Mints a new password each time; a verifier names its password. */
function mint(): Mint {
  let made = 0
  return {
    password: () => `password-${++made}`,
    verifierOf,
    isVerifier: (text) => text.startsWith('SCRAM-SHA-256$'),
  }
}

function verifierOf(password: string): string {
  return `SCRAM-SHA-256$${createHash('sha256').update(password).digest('hex')}`
}

const credential = (username: string, password: string) => ({ username, password, verifier: verifierOf(password) })

const held: Held = { active: credential(first, 'old'), rotatedAtMs: start, generation: 1, source: 'generate' }
const remembered: Remembered = { username: first, generation: 0 }
const nowMs = start + hour
const usual: RotationInput = { group, rule: inPlace, held, remembered, provenHash: undefined, nowMs, mint: mint() }
const isMade = expect.stringMatching(/^password-/)
const next = credential(first, 'new')
const other = credential(second, 'new')
const supplied = (value: string | undefined): PasswordRule => ({ kind: 'supplied', value })

interface Step {
  readonly does: string
  readonly when: Partial<RotationInput>
  readonly gives: object | undefined
}

const steps: readonly Step[] = [
  {
    does: 'makes the first password',
    when: { held: undefined },
    gives: { active: { username: first, password: isMade }, generation: 1, rotatedAtMs: nowMs },
  },
  {
    does: 'makes a lost password anew, for the role that was in the Secret',
    when: { held: undefined, remembered: { username: second, generation: 4 } },
    gives: { active: { username: second, password: isMade }, generation: 5 },
  },
  {
    does: 'keeps the end of an overlap in mind when the Secret is lost',
    when: {
      held: undefined,
      remembered: { username: second, generation: 4, previous: { username: first, untilMs: nowMs + hour } },
    },
    gives: { active: { username: second }, previous: { username: first, untilMs: nowMs + hour } },
  },
  { does: 'makes none where nobody is to log in', when: { rule: { kind: 'none' } }, gives: undefined },
  {
    does: 'makes none while its source is missing',
    when: { held: undefined, rule: supplied(undefined) },
    gives: undefined,
  },
  { does: 'leaves a password alone that is not due', when: {}, gives: held },
  {
    does: 'leaves it alone for ever without an interval',
    when: { rule: { kind: 'generate', shape }, nowMs: start * 2 },
    gives: held,
  },
  {
    does: 'begins a rotation in place when the interval is over',
    when: { nowMs: start + 10 * hour },
    gives: { active: held.active, next: { username: first, password: isMade }, generation: 1 },
  },
  {
    does: 'begins a rotation with the other role',
    when: { rule: dualRole, nowMs: start + 10 * hour },
    gives: { active: held.active, next: { username: second, password: isMade } },
  },
  {
    does: 'rotates at once when the trigger changes',
    when: { rule: { ...inPlace, trigger: 'leaked' } },
    gives: { active: held.active, next: { password: isMade }, trigger: 'leaked' },
  },
  {
    does: 'does not rotate when the trigger is taken away',
    when: { held: { ...held, trigger: 'leaked' } },
    gives: { ...held, trigger: 'leaked' },
  },
  {
    does: 'waits with the next password until it has proved to be the server’s',
    when: { held: { ...held, next }, provenHash: credentialHash(held.active) },
    gives: { ...held, next },
  },
  {
    does: 'puts the next password in the place of the old one',
    when: { held: { ...held, next }, provenHash: credentialHash(next) },
    gives: { active: next, rotatedAtMs: nowMs, generation: 2, source: 'generate' },
  },
  {
    does: 'puts the other role in the place of the old one, which goes on for the overlap',
    when: { rule: dualRole, held: { ...held, next: other }, provenHash: credentialHash(other) },
    gives: {
      ...{ active: other, previous: { username: first, untilMs: nowMs + 2 * hour } },
      ...{ rotatedAtMs: nowMs, generation: 2, source: 'generate' },
    },
  },
  {
    does: 'leaves no overlap of no time',
    when: { rule: { ...dualRole, overlapMs: 0 }, held: { ...held, next: other }, provenHash: credentialHash(other) },
    gives: { active: other, rotatedAtMs: nowMs, generation: 2, source: 'generate' },
  },
  {
    does: 'ends the overlap',
    when: { rule: dualRole, held: { ...held, active: other, previous: { username: first, untilMs: nowMs } } },
    gives: { ...held, active: other },
  },
  {
    does: 'shortens an overlap that the spec shortens',
    when: {
      rule: { ...dualRole, overlapMs: 1.5 * hour },
      held: { ...held, active: other, previous: { username: first, untilMs: start + 2 * hour } },
    },
    gives: { ...held, active: other, previous: { username: first, untilMs: start + 1.5 * hour } },
  },
  {
    does: 'ends an overlap at once when the spec says so',
    when: {
      rule: { ...dualRole, overlapMs: 0 },
      held: { ...held, active: other, previous: { username: first, untilMs: start + 2 * hour } },
    },
    gives: { ...held, active: other },
  },
  {
    does: 'prolongs no overlap that was told',
    when: {
      rule: { ...dualRole, overlapMs: 5 * hour },
      held: { ...held, active: other, previous: { username: first, untilMs: start + 2 * hour } },
    },
    gives: { ...held, active: other, previous: { username: first, untilMs: start + 2 * hour } },
  },
  {
    does: 'ends an overlap when a password in place is triggered',
    when: {
      rule: { ...inPlace, trigger: 'leaked' },
      held: { ...held, active: other, previous: { username: first, untilMs: start + 2 * hour } },
    },
    gives: { ...held, active: other, next: credential(second, 'password-7'), trigger: 'leaked' },
  },
  {
    does: 'has the password on its way hold first when it is triggered again',
    when: { rule: { ...inPlace, trigger: 'second' }, held: { ...held, next, trigger: 'leaked' } },
    gives: { ...held, next, trigger: 'leaked' },
  },
  {
    does: 'makes another for a trigger that came meanwhile',
    when: { rule: { ...inPlace, trigger: 'second' }, held: { ...held, active: next, trigger: 'leaked' } },
    gives: { active: next, next: { username: first, password: isMade }, trigger: 'second' },
  },
  {
    does: 'keeps the password on its way while the trigger stays, or is taken away',
    when: { rule: inPlace, held: { ...held, next, trigger: 'leaked' } },
    gives: { ...held, next, trigger: 'leaked' },
  },
  {
    does: 'takes the older role over when it is triggered within the overlap',
    when: {
      rule: { ...dualRole, trigger: 'leaked' },
      held: { ...held, active: other, previous: { username: first, untilMs: nowMs + hour } },
    },
    gives: { ...held, active: other, next: credential(first, 'password-7'), trigger: 'leaked' },
  },
  {
    does: 'carries out a supplied password',
    when: { rule: supplied('theirs') },
    gives: { ...held, next: credential(first, 'theirs'), source: 'supplied' },
  },
  {
    does: 'takes a supplied verifier as it is',
    when: { rule: supplied(verifierOf('theirs')) },
    gives: { ...held, next: { username: first, verifier: verifierOf('theirs') }, source: 'supplied' },
  },
  {
    does: 'keeps what it has while its source is missing',
    when: { rule: supplied(undefined), held: { ...held, source: 'supplied' } },
    gives: { ...held, source: 'supplied' },
  },
  {
    does: 'follows a supplied password that changes again before it is carried out',
    when: { rule: supplied('third'), held: { ...held, next, source: 'supplied' } },
    gives: { ...held, next: credential(first, 'third'), source: 'supplied' },
  },
  {
    does: 'takes a supplied password back that is as before again',
    when: { rule: supplied('old'), held: { ...held, next, source: 'supplied' } },
    gives: { ...held, source: 'supplied' },
  },
  {
    does: 'makes its own password when none is supplied any more',
    when: { held: { ...held, source: 'supplied' } },
    gives: { active: held.active, next: { password: isMade }, source: 'generate' },
  },
]

describe('one step of a rotation', () => {
  it.each(steps)('$does', ({ when, gives }) => {
    const now = rotate({ ...usual, mint: numbered(7), ...when })
    if (gives === undefined) expect(now).toBeUndefined()
    else if ('source' in gives && 'generation' in gives) expect(now).toEqual(gives)
    else expect(now).toMatchObject(gives)
  })

  it('lists the newest login with its verifier, the current one beside it, and the previous one without a verifier', () => {
    expect(loginsOf({ ...held, next })).toEqual([{ name: first, verifier: next.verifier }])
    expect(loginsOf({ ...held, next: other })).toEqual([
      { name: first, verifier: held.active.verifier },
      { name: second, verifier: other.verifier },
    ])
    expect(loginsOf({ ...held, active: other, previous: { username: first, untilMs: 0 } })).toEqual([
      { name: second, verifier: other.verifier },
      { name: first },
    ])
  })
})

function numbered(number: number): Mint {
  return { ...mint(), password: () => `password-${number}` }
}

/** Model of the Secret, the server's logins, and the recorded status. */
class World {
  held: Held | undefined
  readonly logins = new Map<string, string>()
  proven: string | undefined
  remembered: Remembered = remembered
  nowMs = start
  rule: PasswordRule
  readonly #mint = mint()

  constructor(rule: PasswordRule) {
    this.rule = rule
  }

  /** One reconcile, interrupted after this number of writes. `look` sees the model after each write. */
  turn(writes: number, look: () => void): void {
    const { rule, remembered: known, proven: provenHash, nowMs: now } = this
    const next = rotate({ group, rule, held: this.held, remembered: known, provenHash, nowMs: now, mint: this.#mint })
    for (const effect of this.#effects(next).slice(0, writes)) {
      effect()
      look()
    }
  }

  settle(): void {
    for (let turns = 0; turns < 4; turns++) this.turn(Number.POSITIVE_INFINITY, () => undefined)
  }

  loseSecret(): void {
    this.held = undefined
  }

  isLogin({ username, verifier }: Held['active']): boolean {
    return this.logins.get(username) === verifier
  }

  /** Effects in the driver's order: the Secret, the server (removals last), the status. */
  #effects(now: Held | undefined): readonly (() => void)[] {
    if (now === undefined) return []
    const logins = loginsOf(now)
    const kept = logins.flatMap(({ name, verifier }) => (verifier === undefined ? [] : [{ name, verifier }]))
    const gone = [first, second].filter((name) => !logins.some((login) => login.name === name))
    const { active, generation, previous } = now
    return [
      () => {
        this.held = now
      },
      ...kept.map(
        ({ name, verifier }) =>
          () =>
            void this.logins.set(name, verifier),
      ),
      ...gone.map((name) => () => void this.logins.delete(name)),
      () => {
        this.proven = credentialHash(newestOf(now))
        this.remembered = { username: active.username, generation, ...(previous === undefined ? {} : { previous }) }
      },
    ]
  }
}

const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('turn' as const), writes: fc.integer({ min: 0, max: 6 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('time' as const), hours: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('trigger' as const), word: fc.constantFrom('a', 'b', 'c') }) },
)
type Happening = typeof event extends fc.Arbitrary<infer One> ? One : never

function play(world: World, happenings: readonly Happening[], look: () => void): void {
  for (const now of happenings) {
    if (now.kind === 'turn') world.turn(now.writes, look)
    if (now.kind === 'time') world.nowMs += now.hours * hour
    if (now.kind === 'trigger' && world.rule.kind === 'generate') world.rule = { ...world.rule, trigger: now.word }
  }
}

describe('a rotation that is interrupted anywhere', () => {
  const rules = fc.constantFrom(inPlace, dualRole)
  const happenings = fc.array(event, { minLength: 1, maxLength: 30 })

  it('ends with a Secret that logs in, and with no unlisted login', () => {
    fc.assert(
      fc.property(rules, happenings, (rule, events) => {
        const world = new World(rule)
        play(world, events, () => undefined)
        world.settle()
        const { held: now } = world
        expect(now?.next).toBeUndefined()
        expect(now !== undefined && world.isLogin(now.active)).toBe(true)
        const listed = now === undefined ? [] : loginsOf(now).map(({ name }) => name)
        expect([...world.logins.keys()].filter((name) => !listed.includes(name))).toEqual([])
      }),
    )
  })

  it('with two roles, never leaves a Secret without a login once it has logged in', () => {
    fc.assert(
      fc.property(happenings, (events) => {
        const world = new World(dualRole)
        world.settle()
        play(world, events, () => {
          expect(world.held !== undefined && world.isLogin(world.held.active)).toBe(true)
        })
      }),
    )
  })

  it("with one role, always has the server's password in the Secret, as current or next", () => {
    fc.assert(
      fc.property(happenings, (events) => {
        const world = new World(inPlace)
        world.settle()
        play(world, events, () => {
          const { active, next: coming } = world.held ?? held
          expect(world.isLogin(active) || (coming !== undefined && world.isLogin(coming))).toBe(true)
        })
      }),
    )
  })

  it('with two roles, lets the old login work until its overlap ends', () => {
    const world = new World(dualRole)
    world.settle()
    const before = world.held?.active ?? held.active
    world.nowMs += 10 * hour
    world.settle()
    expect(world.held?.active.username).toBe(second)
    expect(world.isLogin(before)).toBe(true)
    world.nowMs += 2 * hour
    world.settle()
    expect([...world.logins.keys()]).toEqual([second])
  })

  it('ends with a Secret that logs in when the Secret is lost at any point', () => {
    fc.assert(
      fc.property(rules, happenings, fc.nat({ max: 30 }), (rule, events, lostAfter) => {
        const world = new World(rule)
        play(world, events.slice(0, lostAfter), () => undefined)
        world.loseSecret()
        play(world, events.slice(lostAfter), () => undefined)
        world.settle()
        expect(world.held !== undefined && world.isLogin(world.held.active)).toBe(true)
      }),
    )
  })
})
