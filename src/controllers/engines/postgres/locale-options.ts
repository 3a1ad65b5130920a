// Locale options of CREATE DATABASE, by the server's major version. Newer servers have more of them. Pure.
import type { DesiredDatabase } from '../engine.ts'
import { EngineError } from '../engine-error.ts'
import type { LocaleProvider } from '../locale.ts'
import { literal, type Sql, sql } from './sql-text.ts'

type DesiredLocale = Pick<DesiredDatabase, 'name' | 'locale' | 'characterType' | 'localeProvider'>

/** Throws StatementFailed for a locale that the server's version does not support. */
export function localeOptions(
  { name, locale, characterType = locale, localeProvider }: DesiredLocale,
  majorVersion: number,
): readonly Sql[] {
  return [
    ...(locale === undefined ? [] : [sql`LC_COLLATE ${literal(locale)}`]),
    ...(characterType === undefined ? [] : [sql`LC_CTYPE ${literal(characterType)}`]),
    ...(localeProvider === undefined ? [] : providerOptions(name, localeProvider, majorVersion)),
  ]
}

/** First major version that has them for databases. */
const since = { icu: 15, rules: 16, builtin: 17 } as const

function providerOptions(name: string, provider: LocaleProvider, majorVersion: number): readonly Sql[] {
  const needs = (what: string, version: number) => {
    if (majorVersion < version) throw rejected(name, `${what}, which PostgreSQL has since ${version}`)
  }
  switch (provider.kind) {
    case 'libc':
      // Explicit, because the server's own databases may have another provider.
      return majorVersion < since.icu ? [] : [sql`LOCALE_PROVIDER libc`]
    case 'icu': {
      needs('texts in the order of ICU', since.icu)
      const options = sql`LOCALE_PROVIDER icu ICU_LOCALE ${literal(provider.locale)}`
      if (provider.rules === undefined) return [options]
      needs('rules of its own for the order of ICU', since.rules)
      return [options, sql`ICU_RULES ${literal(provider.rules)}`]
    }
    case 'builtin':
      needs('texts in an order that is built in', since.builtin)
      return [sql`LOCALE_PROVIDER builtin BUILTIN_LOCALE ${literal(provider.locale)}`]
  }
}

function rejected(name: string, why: string): EngineError {
  const message = `database ${JSON.stringify(name)} is to have ${why}; use a newer server`
  return new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
}
