// How does a database order its texts, and what does it take for a letter? That is chosen when it is made, and indexes and answers depend
// on it; so a copy has to have it as its source. Pure.

export interface DatabaseLocale {
  readonly encoding: string
  /** LC_COLLATE */
  readonly collate: string
  /** LC_CTYPE */
  readonly ctype: string
  /** Undefined: nobody has asked. */
  readonly localeProvider?: LocaleProvider
}

/** Who orders texts: the operating system's library, with the two locales above, or one with a locale of its own. */
export type LocaleProvider =
  | { readonly kind: 'libc' }
  | { readonly kind: 'icu'; readonly locale: string; readonly rules?: string }
  | { readonly kind: 'builtin'; readonly locale: string }

/**
 * Sentences for people, none if they are the same. Servers of another version may write the locale of a provider otherwise; that of ICU each
 * server that makes a database from 16 on, while one that was upgraded in its place still says what it was told (`en_US`, `en-US`).
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
