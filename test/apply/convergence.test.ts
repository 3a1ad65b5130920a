import { describe, expect, it } from 'vitest'
import { Convergence, holdOffMs } from '../../src/apply/convergence.ts'
import { seededRandom } from '../../src/base/random.ts'
import { fieldPath } from '../../src/diff/field-path.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { live } from '../objects.ts'

const manager = 'konverge'
const desired = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default' },
  data: { key: 'ours' },
}
const path = [
  { kind: 'field', name: 'data' },
  { kind: 'field', name: 'key' },
] as const

/** The object after an apply; the other manager's entry is from its last write. */
const answered = (data: Record<string, string>): LiveObject =>
  live({
    metadata: {
      managedFields: [
        {
          manager,
          operation: 'Apply',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:key': {} } },
        },
        { manager: 'editor', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
      ],
    },
    data,
  })

const claim = (editor: string, field: string) => ({ manager: editor, shown: editor, fields: [field] })
const convergenceOf = (seed = 1) => new Convergence(seededRandom(seed))

describe('convergence', () => {
  it('takes a field twice and stops at the third round, naming field and other manager', () => {
    const convergence = convergenceOf()
    const object = answered({ key: 'ours' })
    convergence.learn({ desired, live: object, paths: [path], manager, rivals: [], nowMs: 0 })
    convergence.learn({ desired, live: object, paths: [path], manager, rivals: [], nowMs: 1_000 })
    expect(() =>
      convergence.learn({ desired, live: object, paths: [path], manager, rivals: [], nowMs: 2_000 }),
    ).toThrow(/3 times by konverge .* at data\.key by perhaps editor/)
  })

  it.each([
    ['sets back unrelated edits each time', ['a', 'b', 'c', 'a', 'b', 'c'], ['ann', 'bob', 'cid', 'dan', 'eve', 'flo']],
    [
      'sets back a field again that three edits in between had changed',
      ['a', 'b', 'c', 'a'],
      ['ann', 'ann', 'ann', 'ann'],
    ],
  ])('%s', (_, fields, editors) => {
    const convergence = convergenceOf()
    for (const [at, field] of fields.entries()) {
      const rivals = [claim(editors[at] ?? '', `data.${field}`)]
      const answer = { desired, live: answered({ key: 'ours' }), paths: [fieldPath('data', field)], manager, rivals }
      convergence.learn({ ...answer, nowMs: at * 61_000 })
      convergence.assertMayApply(desired, answer.live, at * 61_000)
    }
  })

  it('names the manager that sets a field repeatedly, and no other editor of the object', () => {
    const convergence = convergenceOf()
    const take = (nowMs: number, editor: string, field: string) => {
      const paths = [path, fieldPath('data', field)]
      const rivals = [claim('hpa', 'data.key'), claim(editor, `data.${field}.deep`)]
      convergence.learn({ desired, live: answered({ key: 'ours' }), paths, manager, rivals, nowMs })
    }
    take(0, 'ann', 'a')
    take(60_000, 'bob', 'b')
    expect(() => take(120_000, 'cid', 'c')).toThrow(/ 3 times by konverge .* changed back at data\.key by hpa;/)
  })

  it('does not count a value that the server always rewrites, beside edits of other fields', () => {
    const convergence = convergenceOf()
    const rewritten = answered({ key: 'OURS' })
    for (const [at, field] of ['none', 'a', 'b', 'c', 'd'].entries()) {
      const paths = at === 0 ? [] : [path, fieldPath('data', field)]
      convergence.learn({ desired, live: rewritten, paths, manager, rivals: [], nowMs: at })
    }
  })

  it('stops at a value that the server rewrites to another one each time', () => {
    const convergence = convergenceOf()
    const take = (nowMs: number, paths: readonly (typeof path)[]) =>
      convergence.learn({ desired, live: answered({ key: `now ${nowMs}` }), paths, manager, rivals: [], nowMs })
    take(0, [])
    take(1, [path])
    take(2, [path])
    expect(() => take(3, [path])).toThrow(/at data\.key/)
  })

  it('pauses the object after that, and then tries once more', () => {
    const convergence = convergenceOf()
    const object = answered({ key: 'ours' })
    for (const nowMs of [0, 1, 2]) {
      try {
        convergence.learn({ desired, live: object, paths: [path], manager, rivals: [], nowMs: nowMs })
      } catch {}
    }
    expect(() => convergence.assertMayApply(desired, object, 2 + holdOffMs - 1)).toThrow(/keeps being changed back/)
    expect(() => convergence.assertMayApply(desired, object, 2 + holdOffMs)).not.toThrow()
  })

  describe('for a rejected object', () => {
    const rejection = new KubeError({ code: 'Invalid', message: 'spec.replicas: must not be negative' })
    /** Returns the pause of the object after each of `count` rejections in a row. */
    function holds(convergence: Convergence, count: number): number[] {
      let nowMs = 0
      return Array.from({ length: count }, () => {
        convergence.learnRejection(desired, { live: undefined, thrown: rejection, nowMs })
        const sinceMs = nowMs
        for (; isHeld(convergence, nowMs); nowMs += 100);
        return nowMs - sinceMs
      })
    }
    function isHeld(convergence: Convergence, nowMs: number, live?: LiveObject, declared = desired): boolean {
      try {
        convergence.assertMayApply(declared, live, nowMs)
        return false
      } catch (thrown) {
        expect(thrown).toBe(rejection)
        return true
      }
    }

    it('doubles its pause after each rejection, up to minutes', () => {
      const made = holds(convergenceOf(), 9)
      for (const [index, holdMs] of made.entries()) {
        const longestMs = Math.min(5_000 * 2 ** index, 150_000)
        expect(holdMs, `after rejection ${index + 1}`).toBeGreaterThanOrEqual(longestMs / 2)
        expect(holdMs, `after rejection ${index + 1}`).toBeLessThanOrEqual(longestMs + 100)
      }
    })

    it('jitters the pauses of different objects', () => {
      const convergences = [1, 2, 3, 4].map((seed) => convergenceOf(seed))
      expect(new Set(convergences.map((convergence) => holds(convergence, 6)[5])).size).toBeGreaterThan(1)
    })

    it('sends a changed declaration at once', () => {
      const convergence = convergenceOf()
      convergence.learnRejection(desired, { live: undefined, thrown: rejection, nowMs: 0 })
      expect(isHeld(convergence, 1)).toBe(true)
      expect(isHeld(convergence, 1, undefined, { ...desired })).toBe(false)
    })

    it('starts with the shortest pause after a success', () => {
      const convergence = convergenceOf()
      holds(convergence, 6)
      convergence.learn({ desired, manager, live: answered({ key: 'ours' }), paths: [], rivals: [], nowMs: 1_000_000 })
      expect(holds(convergence, 1)[0]).toBeLessThanOrEqual(5_100)
    })

    it('creates it at once when the immutable object is gone', () => {
      const convergence = convergenceOf()
      const live = answered({ key: 'theirs' })
      convergence.learnRejection(desired, { live, thrown: rejection, nowMs: 0 })
      expect(isHeld(convergence, 1, live)).toBe(true)
      expect(isHeld(convergence, 1, undefined)).toBe(false)
    })

    it.each(['Conflict', 'ServerError', 'TooManyRequests', 'Unreachable'] as const)(
      'does not count %s, which is not about the object',
      (code) => {
        const convergence = convergenceOf()
        const thrown = new KubeError({ code, message: 'm' })
        convergence.learnRejection(desired, { live: undefined, thrown, nowMs: 0 })
        expect(isHeld(convergence, 1)).toBe(false)
      },
    )
  })

  it('treats the server’s response to the last apply as equal', () => {
    const convergence = convergenceOf()
    const rewritten = answered({ key: 'OURS' })
    expect(convergence.compare(desired, rewritten, { manager, nowMs: 0 }).kind).toBe('different')
    convergence.learn({ desired, live: rewritten, paths: [], manager, rivals: [], nowMs: 0 })
    expect(convergence.compare(desired, rewritten, { manager, nowMs: 1 }).kind).toBe('equal')
    expect(convergence.compare(desired, answered({ key: 'theirs' }), { manager, nowMs: 1 }).kind).toBe('different')
  })

  it('applies a value that the server rewrites once more after an hour', () => {
    const convergence = convergenceOf()
    const rewritten = answered({ key: 'OURS' })
    convergence.learn({ desired, live: rewritten, paths: [], manager, rivals: [], nowMs: 0 })
    expect(convergence.compare(desired, rewritten, { manager, nowMs: 3_599_999 }).kind).toBe('equal')
    expect(convergence.compare(desired, rewritten, { manager, nowMs: 3_600_000 }).kind).toBe('different')
  })

  it('never treats an object without an apply as equal', () => {
    const convergence = convergenceOf()
    convergence.learn({ desired, manager, live: answered({ key: 'OURS' }), paths: [], rivals: [], nowMs: 0 })
    expect(convergence.compare(desired, live({ data: { key: 'OURS' } }), { manager, nowMs: 1 }).kind).toBe('unowned')
  })
})
