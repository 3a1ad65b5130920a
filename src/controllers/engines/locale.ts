// Locale of a database. Indexes and query results depend on it and CREATE DATABASE fixes it, so a copy needs its
// source's locale. Pure.

export interface DatabaseLocale {
  readonly encoding: string
  /** LC_COLLATE */
  readonly collate: string
  /** LC_CTYPE */
  readonly ctype: string
  /** Undefined: not observed. */
  readonly localeProvider?: LocaleProvider
}

/** Collation provider: libc with the two locales above, or ICU or builtin with its own locale. */
export type LocaleProvider =
  | { readonly kind: 'libc' }
  | { readonly kind: 'icu'; readonly locale: string; readonly rules?: string }
  | { readonly kind: 'builtin'; readonly locale: string }

/**
 * Returns the differences as sentences for people; empty if the locales are equal. Between major versions only the kind
 * of the provider is compared, because the spelling of its locale may differ. For ICU, servers from 16 on normalize the
 * spelling (`en-US`), except after an upgrade in place (`en_US`).
 */
export function localeDifference(
  saved: DatabaseLocale,
  restored: DatabaseLocale,
  { isSameVersion }: { readonly isSameVersion: boolean },
): readonly string[] {
  const { localeProvider: provider } = saved
  return [
    ...differs('encoding', saved.encoding, restored.encoding),
    ...differs('LC_COLLATE', saved.collate, restored.collate),
    ...differs('LC_CTYPE', saved.ctype, restored.ctype),
    ...(provider === undefined
      ? []
      : differs('locale provider', words(provider, isSameVersion), words(restored.localeProvider, isSameVersion))),
  ]
}

function differs(what: string, saved: string, restored: string): readonly string[] {
  return saved === restored ? [] : [`its ${what} is ${restored} instead of ${saved}`]
}

function words(provider: LocaleProvider = { kind: 'libc' }, isWhole: boolean): string {
  if (provider.kind === 'libc' || !isWhole) return provider.kind
  if (provider.kind === 'builtin') return `builtin ${provider.locale}`
  return provider.rules === undefined ? 'icu' : `icu with the rules ${provider.rules}`
}
