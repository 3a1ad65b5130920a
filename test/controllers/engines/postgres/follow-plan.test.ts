// Next step of a logical copy, and the names by which a later worker finds its parts.
import { describe, expect, it } from 'vitest'
import {
  followedIn,
  followNext,
  followText,
  replicationId,
  targetProblem,
} from '../../../../src/controllers/engines/postgres/migration/follow-plan.ts'
import type { PublisherFacts, SubscriberFacts } from '../../../../src/controllers/engines/replication.ts'
import { replicationState } from '../../../../src/controllers/engines/replication-state.ts'
import { emptyTarget, followingTarget, orders, replicationSource, replicationToken } from '../replication-facts.ts'

interface Seen {
  readonly source?: Partial<PublisherFacts>
  readonly target?: SubscriberFacts
  readonly filledFrom?: string
  readonly goal?: string
  readonly failuresBefore?: number
}

function next({ source, target = followingTarget, filledFrom, goal, failuresBefore = 0 }: Seen) {
  const sides = { source: { ...replicationSource, ...source }, target, filledFrom }
  const pass = { sides, standing: replicationState(sides, replicationToken) }
  return followNext(pass, { tables: [orders], goal, failuresBefore })
}

const failing = (failures: number): SubscriberFacts => ({
  ...followingTarget,
  subscription: { token: replicationToken, isEnabled: true, isRunning: true, failures },
})
const fresh = { login: undefined, publication: undefined, slot: undefined }

describe('the next step', () => {
  it.each<[string, Seen, unknown]>([
    ['makes what is missing', { source: fresh, target: emptyTarget }, { kind: 'make' }],
    ['brings rows', { source: { slot: undefined }, target: emptyTarget }, { kind: 'fill' }],
    ['subscribes when they are there', { target: emptyTarget, filledFrom: '0/100' }, { kind: 'make' }],
    ['takes aim when all are there', {}, { kind: 'aim' }],
    ['waits until the target has kept up', { goal: '0/101' }, { kind: 'wait' }],
    ['compares then', { goal: '0/100' }, { kind: 'compare' }],
    ['bears some failures', { target: failing(59), goal: '0/100' }, { kind: 'compare' }],
    ['counts none from before', { target: failing(100), goal: '0/100', failuresBefore: 90 }, { kind: 'compare' }],
  ])('%s', (_, seen, expected) => {
    expect(next(seen)).toEqual(expected)
  })

  it.each<[string, Seen, string]>([
    ['what cannot follow', { source: { ...fresh, walLevel: 'replica' }, target: emptyTarget }, 'wal_level = replica'],
    ['tables that hold no rows', { source: { ...fresh, tables: [] }, target: emptyTarget }, 'name its partitions'],
    ['a slot that is lost', { source: { slot: undefined } }, 'no longer keeps'],
    ['what fails again and again', { target: failing(60) }, 'has failed 60 times to apply rows'],
  ])('fails for %s', (_, seen, message) => {
    expect(next(seen)).toEqual({ kind: 'fail', message: expect.stringContaining(message) })
  })
})

describe('the started replication', () => {
  const place = { site: '7/shop', database: 'shop', migration: 'default/v1', majorVersion: 18 }
  const idOf = (changes: Partial<typeof place>, step = 'rows', source = 'default/old') =>
    replicationId({ ...place, ...changes }, { step, source })

  it('has one name for all attempts, and another one for each step, source, migration and database', () => {
    expect(idOf({})).toMatch(/^[0-9a-f]{32}$/)
    const ids = [
      idOf({}),
      idOf({ site: '8/shop' }),
      idOf({ migration: 'default/v2' }),
      idOf({}, 'b'),
      idOf({}, 'rows', 'x'),
    ]
    expect(new Set(ids).size).toBe(5)
  })

  it('is parsed in the form in which it was written, and in no other form', () => {
    expect(followedIn(followText('default/old'))).toBe('default/old')
    for (const text of [null, undefined, '[]', '{}', '[null]', '[{"kind":"index","table":"a","name":"b"}]']) {
      expect(followedIn(text)).toBeUndefined()
    }
  })
})

it('needs a target that does not apply as its admin', () => {
  expect(targetProblem(16)).toBeUndefined()
  expect(targetProblem(15)).toBe(
    'mode Logical needs PostgreSQL 16 or newer at the target, which has 15; use mode Snapshot',
  )
})
