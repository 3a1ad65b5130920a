// Every combination of the two markers of a database with what its Database has recorded, row by row.
import { expect, it } from 'vitest'
import { authorityOf } from '../../../src/controllers/database/database-authority.ts'
import type { Token } from '../../../src/index.ts'
import { observedDatabase, observedRole, otherToken, providerID, token } from './databases.ts'

type Word = 'ours' | 'theirs' | 'none'
const tokens: Readonly<Record<Word, Token | undefined>> = { ours: token, theirs: otherToken, none: undefined }
const elsewhere = 'pg://7431000000000000001/1'

it.each([
  // role, database, recorded identity, owner
  ['ours', 'ours', undefined, 'ours'],
  ['ours', 'ours', providerID, 'ours'],
  ['ours', 'ours', elsewhere, 'ours'],
  ['ours', 'none', undefined, 'ours'],
  ['ours', 'none', providerID, 'ours'],
  ['ours', 'none', elsewhere, 'none'],
  ['ours', 'theirs', providerID, 'ours'],
  ['ours', 'theirs', undefined, 'disputed'],
  ['ours', 'theirs', elsewhere, 'disputed'],
  ['theirs', 'ours', undefined, 'disputed'],
  ['theirs', 'ours', providerID, 'disputed'],
  ['theirs', 'theirs', undefined, 'theirs'],
  ['theirs', 'theirs', providerID, 'theirs'],
  ['theirs', 'none', undefined, 'theirs'],
  ['theirs', 'none', providerID, 'theirs'],
  ['none', 'ours', undefined, 'none'],
  ['none', 'ours', providerID, 'ours'],
  ['none', 'ours', elsewhere, 'none'],
  ['none', 'theirs', undefined, 'theirs'],
  ['none', 'theirs', providerID, 'theirs'],
  ['none', 'none', undefined, 'none'],
  ['none', 'none', providerID, 'none'],
] as const)(
  'a role that names %s and a database that names %s, recorded as %s: %s',
  (role, database, recorded, owner) => {
    const authority = authorityOf({
      ...{ token, recorded, providerID },
      database: observedDatabase({ token: tokens[database] }),
      ownerRole: observedRole({ token: tokens[role] }),
    })
    const expected = owner === 'disputed' ? { kind: 'disputed' } : { kind: 'known', owner: tokens[owner] }
    expect(authority).toMatchObject(expected)
  },
)

it('a database that another role owns is not claimed by the marker of a role that does not own it', () => {
  const database = observedDatabase({ token: undefined, owner: 'mallory' })
  const markers = { token, recorded: undefined, providerID, database, ownerRole: observedRole() }
  expect(authorityOf(markers)).toEqual({ kind: 'known', owner: undefined })
})
