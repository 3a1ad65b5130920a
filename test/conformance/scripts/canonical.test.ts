// Tests of the canonical form: it renames only values that may differ between two correct servers.
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { canonical, withErrorsInOrder } from './canonical.ts'
import type { Reply } from './script.ts'

const one = '11111111-2222-4333-8444-555555555555'
const other = '99999999-8888-4777-8666-555555555555'

function replies(...bodies: readonly Json[]): Reply[] {
  return bodies.map((body) => ({ answer: { status: 200, headers: {}, body } }))
}

function object(uid: string, resourceVersion: string, more: JsonObject = {}): JsonObject {
  return { metadata: { name: 'a', uid, resourceVersion, ...more } }
}

function bodies(given: readonly Reply[], script = ''): (Json | undefined)[] {
  return canonical(given, { namespace: 'ns-1', script }).map((reply) => (reply as JsonObject)['body'])
}

describe('canonical', () => {
  it.each<{ renames: string; left: readonly Json[]; right: readonly Json[] }>([
    { renames: 'uids', left: [object(one, '5')], right: [object(other, '5')] },
    {
      renames: 'versions by rank',
      left: [object(one, '5'), object(one, '9')],
      right: [object(one, '70'), object(one, '71')],
    },
    {
      renames: 'the version of a list that is newer than its objects',
      left: [object(one, '5'), { metadata: { resourceVersion: '5' }, items: [] }],
      right: [object(one, '5'), { metadata: { resourceVersion: '8' }, items: [] }],
    },
    {
      renames: 'times',
      left: [object(one, '5', { creationTimestamp: '2026-01-01T00:00:00Z' })],
      right: [object(one, '5', { creationTimestamp: '2027-01-01T00:00:09Z' })],
    },
    {
      renames: 'generated names',
      left: [{ metadata: { name: 'x-bcdfg', generateName: 'x-', uid: one, resourceVersion: '1' } }, 'x-bcdfg is there'],
      right: [
        { metadata: { name: 'x-zzzzz', generateName: 'x-', uid: one, resourceVersion: '1' } },
        'x-zzzzz is there',
      ],
    },
    {
      renames: 'the order of managers',
      left: [object(one, '5', { managedFields: [{ manager: 'a' }, { manager: 'b' }] })],
      right: [object(one, '5', { managedFields: [{ manager: 'b' }, { manager: 'a' }] })],
    },
    {
      renames: 'the versions in texts',
      left: [object(one, '5'), 'too old resource version: 5 (7)'],
      right: [object(one, '6'), 'too old resource version: 6 (6)'],
    },
    {
      renames: 'the registry of kinds, and which unknown field an apply names',
      left: ['no kind "X" in scheme "a.go:1"', 'failed (/b; v1, Kind=X): .spec.b: field not declared in schema'],
      right: ['no kind "X" in scheme "b.go:2"', 'failed (/b; v1, Kind=X): .spec.c: field not declared in schema'],
    },
    {
      renames: 'the version in a list token',
      left: [object(one, '5'), { metadata: { continue: token(5, 'a') } }],
      right: [object(one, '6'), { metadata: { continue: token(6, 'a') } }],
    },
  ])('renames $renames', ({ left, right }) => {
    expect(bodies(replies(...left))).toEqual(bodies(replies(...right)))
  })

  it.each<{ keeps: string; left: readonly Json[]; right: readonly Json[] }>([
    { keeps: 'who is who', left: [object(one, '5'), object(one, '6')], right: [object(one, '5'), object(other, '6')] },
    {
      keeps: 'a version that stays',
      left: [object(one, '5'), object(one, '5')],
      right: [object(one, '5'), object(one, '6')],
    },
    {
      keeps: 'the order of versions',
      left: [object(one, '5'), object(one, '6')],
      right: [object(one, '6'), object(one, '5')],
    },
    {
      keeps: 'where a page begins',
      left: [{ metadata: { continue: token(5, 'a') } }],
      right: [{ metadata: { continue: token(5, 'b') } }],
    },
    { keeps: 'a number’s kind', left: [{ size: 1 }], right: [{ size: '1' }] },
    { keeps: 'an empty value', left: [{ a: {} }], right: [{}] },
  ])('keeps $keeps', ({ left, right }) => {
    expect(bodies(replies(...left))).not.toEqual(bodies(replies(...right)))
  })

  it('treats all ages in a table as equal', () => {
    const table = (age: string) => ({ kind: 'Table', rows: [{ cells: ['a', 1, age] }] })
    expect(bodies(replies(table('1s')))).toEqual(bodies(replies(table('2s'))))
    expect(bodies(replies(table('1s')))).not.toEqual(bodies(replies(table('old'))))
  })

  it('keeps values from the script itself', () => {
    const [body] = bodies(replies({ uid: one, at: '2001-01-01T00:00:00Z' }), `"${one}" "2001-01-01T00:00:00Z"`)
    expect(body).toEqual({ at: '2001-01-01T00:00:00Z', uid: one })
  })

  it('compares only the relevant headers', () => {
    const headers = { 'content-type': 'application/json', warning: '299 - "x"', date: 'now', 'audit-id': one }
    const [reply] = canonical([{ answer: { status: 200, headers, body: null } }], { namespace: 'ns', script: '' })
    expect(reply).toMatchObject({ headers: { 'content-type': 'application/json', warning: '299 - "x"' } })
    expect(JSON.stringify(reply)).not.toContain('now')
  })

  it('omits bookmarks that depend on time', () => {
    const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } }
    const end = {
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } },
    }
    const answer = { status: 200, headers: {}, body: null }
    const [reply] = canonical([{ answer, events: [bookmark, end] }], { namespace: 'ns', script: '' })
    expect((reply as JsonObject)['events']).toHaveLength(1)
  })
})

describe('withErrorsInOrder', () => {
  const causes = (...fields: readonly string[]) => fields.map((field) => ({ field, message: 'bad' }))

  it('sorts the errors of a message alphabetically, as its causes', () => {
    const status = {
      message: 'X "a" is invalid: [spec.b: bad, spec.a: bad]',
      details: { causes: causes('spec.b', 'spec.a') },
    }
    expect(withErrorsInOrder(status)['message']).toBe('X "a" is invalid: [spec.a: bad, spec.b: bad]')
  })

  it('sorts the error lines of a failed apply', () => {
    const message = 'failed to create typed patch object (/x; v1, Kind=X): errors:\n  .b: bad\n  .a: bad'
    expect(withErrorsInOrder({ message })['message']).toMatch(/errors:\n {2}\.a: bad\n {2}\.b: bad$/)
    const unknown = `${message}\n  .c: field not declared in schema`
    expect(withErrorsInOrder({ message: unknown })['message']).toMatch(
      /v1, Kind=X\): \.c: field not declared in schema$/,
    )
  })

  it('keeps a message that differs from its causes', () => {
    const status = {
      message: 'X "a" is invalid: [spec.b: bad, spec.c: bad]',
      details: { causes: causes('spec.b', 'spec.a') },
    }
    expect(withErrorsInOrder(status)).toBe(status)
  })
})

function token(rv: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start })).toString('base64url')
}
