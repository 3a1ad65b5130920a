import { expect, it } from 'vitest'
import { chooseSession } from '../../../../src/controllers/engines/postgres/session-choice.ts'

const idle = (database: string, idleSinceMs: number) => ({ database, idleSinceMs })
const busy = (database: string) => ({ database, idleSinceMs: undefined })
const visited = new Set(['v', 'w', 'x'])

it.each([
  ['opens the first', [], { kind: 'open' }],
  ['takes an idle one of the database', [idle('a', 1), idle('b', 2)], { kind: 'reuse', session: idle('a', 1) }],
  ['takes of two the one used last', [idle('a', 5), idle('a', 3)], { kind: 'reuse', session: idle('a', 5) }],
  ['opens beside a busy one', [busy('a')], { kind: 'open' }],
  [
    'replaces the one idle longest',
    [idle('b', 7), idle('c', 4), busy('a')],
    { kind: 'replace', session: idle('c', 4) },
  ],
  [
    'leaves those of visitors alone',
    [idle('v', 2), idle('c', 4), idle('w', 3)],
    { kind: 'replace', session: idle('c', 4) },
  ],
  ['waits for one in use rather than take a visitor his', [idle('v', 2), idle('w', 3), busy('a')], { kind: 'wait' }],
  [
    'takes a visitor his where it could wait for ever',
    [idle('v', 2), idle('w', 1), idle('x', 3)],
    { kind: 'replace', session: idle('w', 1) },
  ],
  ['waits when all are busy', [busy('a'), busy('b'), busy('c')], { kind: 'wait' }],
])('%s', (_, sessions, choice) => {
  expect(chooseSession(sessions, { database: 'a', limit: 3, visited })).toEqual(choice)
})

it('a caller gets its own session', () => {
  const sessions = [idle('v', 2), busy('a'), busy('a')]
  expect(chooseSession(sessions, { database: 'v', limit: 3, visited })).toEqual({
    kind: 'reuse',
    session: idle('v', 2),
  })
})
