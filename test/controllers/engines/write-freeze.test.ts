import { describe, expect, it } from 'vitest'
import { freezeState, recordOf, stillAway, type WriterFacts } from '../../../src/controllers/engines/write-freeze.ts'

const away = [
  { name: 'app', canLogin: false },
  { name: 'report', canLogin: false },
]
const record = { logins: ['app', 'report'] }
const facts = (changes: Partial<WriterFacts>): WriterFacts => ({ logins: away, sessions: 0, prepared: 0, ...changes })

describe('a freeze', () => {
  it.each([
    [facts({}), { kind: 'frozen' }],
    [facts({ logins: [] }), { kind: 'frozen' }],
    [facts({ sessions: 1 }), { kind: 'draining', message: '1 session is still there' }],
    [
      facts({ prepared: 2 }),
      { kind: 'draining', message: expect.stringMatching(/^2 prepared transactions are still/) },
    ],
    [
      facts({
        logins: [
          { name: 'app', canLogin: true },
          { name: 'new', canLogin: true },
        ],
        sessions: 1,
      }),
      { kind: 'open', recorded: ['app'], unrecorded: ['new'] },
    ],
  ])('with %j has this state', (seen, standing) => {
    expect(freezeState(record, seen)).toEqual(standing)
  })

  it('records the roles that may log in, and never drops a recorded one', () => {
    const logins = [
      { name: 'new', canLogin: true },
      { name: 'retired', canLogin: false },
    ]
    expect(recordOf(facts({ logins }))).toEqual({ logins: ['new'] })
    expect(recordOf(facts({ logins }), record)).toEqual({ logins: ['app', 'new', 'report'] })
  })

  it('is over when every recorded role that exists may log in', () => {
    expect(stillAway(record, facts({}))).toEqual(['app', 'report'])
    expect(stillAway(record, facts({ logins: [{ name: 'app', canLogin: true }] }))).toEqual([])
  })
})
