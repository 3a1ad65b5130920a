// Options of CREATE DATABASE that give a database the collation of another one.
import { describe, expect, it } from 'vitest'
import type { LocaleProvider } from '../../../../src/controllers/engines/locale.ts'
import { localeOptions } from '../../../../src/controllers/engines/postgres/locale-options.ts'

const libc = { kind: 'libc' } as const
const icu = { kind: 'icu', locale: 'de-DE' } as const
const ruled = { ...icu, rules: "&a < 'b'" } as const
const builtin = { kind: 'builtin', locale: 'C.UTF-8' } as const

describe('the locale options of CREATE DATABASE', () => {
  it.each<readonly [number, LocaleProvider, readonly string[]]>([
    [14, libc, []],
    [15, libc, ['LOCALE_PROVIDER libc']],
    [15, icu, ["LOCALE_PROVIDER icu ICU_LOCALE 'de-DE'"]],
    [16, ruled, ["LOCALE_PROVIDER icu ICU_LOCALE 'de-DE'", "ICU_RULES '&a < ''b'''"]],
    [17, builtin, ["LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'"]],
  ])('on %i, of %j', (majorVersion, localeProvider, options) => {
    const wish = { name: 'crm', locale: 'C', characterType: 'C.UTF-8', localeProvider }
    expect(localeOptions(wish, majorVersion)).toEqual(["LC_COLLATE 'C'", "LC_CTYPE 'C.UTF-8'", ...options])
  })

  it('are both set for a Database with a locale, and absent by default', () => {
    expect(localeOptions({ name: 'crm', locale: 'C' }, 15)).toEqual(["LC_COLLATE 'C'", "LC_CTYPE 'C'"])
    expect(localeOptions({ name: 'crm' }, 15)).toEqual([])
  })

  it.each<readonly [number, LocaleProvider, RegExp]>([
    [14, icu, /database "crm" is to have texts in the order of ICU, which PostgreSQL has since 15; use a newer server/],
    [15, ruled, /rules of its own for the order of ICU, which PostgreSQL has since 16/],
    [16, builtin, /texts in an order that is built in, which PostgreSQL has since 17/],
  ])('are rejected on %i, of %j', (majorVersion, localeProvider, told) => {
    expect(() => localeOptions({ name: 'crm', localeProvider }, majorVersion)).toThrow(told)
  })
})
