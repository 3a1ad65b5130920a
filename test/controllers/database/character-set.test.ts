// Equality of encodings and locales, and the message about different ones.
import { describe, expect, it } from 'vitest'
import { characterDifference } from '../../../src/controllers/database/character-set.ts'
import { logical, observedDatabase } from './databases.ts'

describe('a database with another', () => {
  it.each([
    [{}, undefined],
    [{ encoding: 'UTF8', locale: 'C.UTF-8' }, undefined],
    [{ encoding: 'utf-8', locale: 'C.utf8' }, undefined],
    [{ encoding: 'UNICODE' }, undefined],
    [{ encoding: 'LATIN1' }, 'EncodingDiffers'],
    [{ encoding: 'sql_ascii', locale: 'C' }, 'EncodingDiffers'],
    [{ locale: 'C' }, 'LocaleDiffers'],
    [{ locale: 'de_DE.UTF-8' }, 'LocaleDiffers'],
    [{ locale: 'C.UTF-8@euro' }, 'LocaleDiffers'],
  ])('encoding or locale than %o is %s', (asked, reason) => {
    expect(characterDifference(logical(asked), observedDatabase())?.reason).toBe(reason)
  })

  it('is reported in a sentence, with both locales when there are two', () => {
    expect(characterDifference(logical({ encoding: 'LATIN1' }), observedDatabase())?.message).toBe(
      'database shop_db on db.example:5432 has encoding UTF8 instead of LATIN1, which cannot be changed; make a Database that asks for ' +
        'what it has, or load its data into a new one',
    )
    const mixed = observedDatabase({ collate: 'C', ctype: 'POSIX' })
    expect(characterDifference(logical({ locale: 'C' }), mixed)).toBeUndefined()
    expect(characterDifference(logical({ locale: 'de' }), mixed)?.message).toContain(
      'has locales C and POSIX instead of de',
    )
  })
})
