// Comparison of the locales of a copy with those of its source.
import { describe, expect, it } from 'vitest'
import { type DatabaseLocale, localeDifference } from '../../../src/controllers/engines/locale.ts'

const plain = { encoding: 'UTF8', collate: 'C', ctype: 'C.UTF-8' }
const libc: DatabaseLocale = { ...plain, localeProvider: { kind: 'libc' } }
const icu = (locale: string, rules?: string): DatabaseLocale => ({
  ...plain,
  localeProvider: rules === undefined ? { kind: 'icu', locale } : { kind: 'icu', locale, rules },
})
const builtin: DatabaseLocale = { ...plain, localeProvider: { kind: 'builtin', locale: 'C.UTF-8' } }

describe('the locales of a copy', () => {
  it.each<readonly [string, DatabaseLocale, DatabaseLocale, readonly string[]]>([
    ['are the same', libc, libc, []],
    ['are the same, with a provider', icu('de', '&a < b'), icu('de', '&a < b'), []],
    ['are not asked of a source that does not say its provider', plain, icu('de'), []],
    ['are of another order', libc, { ...libc, collate: 'de_DE' }, ['its LC_COLLATE is de_DE instead of C']],
    ['are of other letters', libc, { ...libc, ctype: 'C' }, ['its LC_CTYPE is C instead of C.UTF-8']],
    ['are of another encoding', libc, { ...libc, encoding: 'LATIN1' }, ['its encoding is LATIN1 instead of UTF8']],
    ['are of another provider', icu('de'), libc, ['its locale provider is libc instead of icu']],
    ['are written otherwise, as by a server that pg_upgrade has made', icu('en_US'), icu('en-US'), []],
    [
      'are of no rules',
      icu('de', '&a < b'),
      icu('de'),
      ['its locale provider is icu instead of icu with the rules &a < b'],
    ],
    ['are built in', libc, builtin, ['its locale provider is builtin C.UTF-8 instead of libc']],
  ])('%s', (_, saved, restored, told) => {
    expect(localeDifference(saved, restored, { isSameVersion: true })).toEqual(told)
  })

  it('may have another spelling in another version', () => {
    expect(localeDifference(icu('de_DE'), icu('de-DE'), { isSameVersion: false })).toEqual([])
    expect(localeDifference(icu('de_DE'), libc, { isSameVersion: false })).toEqual([
      'its locale provider is libc instead of icu',
    ])
  })
})
