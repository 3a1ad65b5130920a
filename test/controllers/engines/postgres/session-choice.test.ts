import { expect, it } from 'vitest'
import { chooseSession } from '../../../../src/controllers/engines/postgres/session-choice.ts'

const idle = (database: string, idleSinceMs: number) => ({ database, idleSinceMs })
const busy = (database: string) => ({ database, idleSinceMs: undefined })

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
  ['waits when all are busy', [busy('a'), busy('b'), busy('c')], { kind: 'wait' }],
])('%s', (_, sessions, choice) => {
  expect(chooseSession(sessions, { database: 'a', limit: 3 })).toEqual(choice)
})
