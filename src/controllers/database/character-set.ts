// Comparison of a database's encoding and locale with the desired ones. Creation sets them, and they cannot change.
// Names are compared as the server reads them: `utf-8` is `UTF8`, `de_DE.utf8` is `de_DE.UTF-8`. Pure.
import type { ObservedDatabase } from '../engines/observed-server.ts'
import type { LogicalDatabase } from './logical-database.ts'

export interface CharacterDifference {
  readonly reason: 'EncodingDiffers' | 'LocaleDiffers'
  readonly message: string
}

/** Returns undefined if both are as desired. An encoding or locale that the spec omits never differs. */
export function characterDifference(
  { name, encoding, locale, access: { host, port } }: Pick<LogicalDatabase, 'name' | 'encoding' | 'locale' | 'access'>,
  found: Pick<ObservedDatabase, 'encoding' | 'collate' | 'ctype'>,
): CharacterDifference | undefined {
  const which = `database ${name} on ${host}:${port}`
  if (encoding !== undefined && isOtherEncoding(encoding, found.encoding)) {
    const message = `${which} has encoding ${found.encoding} instead of ${encoding}, ${advice}`
    return { reason: 'EncodingDiffers', message }
  }
  const is = found.collate === found.ctype ? `locale ${found.collate}` : `locales ${found.collate} and ${found.ctype}`
  const isOther =
    locale !== undefined && [found.collate, found.ctype].some((one) => plainLocale(one) !== plainLocale(locale))
  return isOther
    ? { reason: 'LocaleDiffers', message: `${which} has ${is} instead of ${locale}, ${advice}` }
    : undefined
}

const advice = 'which cannot be changed; make a Database that asks for what it has, or load its data into a new one'

/** Encoding names that servers report; each has aliases. Source: PostgreSQL, "Supported Character Sets". */
const encodings: ReadonlySet<string> = new Set(
  (
    'SQLASCII UTF8 MULEINTERNAL EUCJP EUCCN EUCKR EUCTW EUCJIS2004 KOI8R KOI8U ' +
    'LATIN1 LATIN2 LATIN3 LATIN4 LATIN5 LATIN6 LATIN7 LATIN8 LATIN9 LATIN10 ISO88595 ISO88596 ISO88597 ISO88598 ' +
    'WIN866 WIN874 WIN1250 WIN1251 WIN1252 WIN1253 WIN1254 WIN1255 WIN1256 WIN1257 WIN1258'
  ).split(' '),
)

/** Returns false for a name outside this list, because it may be an alias of the observed encoding. */
function isOtherEncoding(wanted: string, found: string): boolean {
  return encodings.has(plain(wanted)) && plain(wanted) !== plain(found)
}

function plain(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
}

/** `POSIX` is an alias of `C`. In other locales only the codeset has several spellings. */
function plainLocale(locale: string): string {
  if (locale === 'POSIX') return plainLocale('C')
  const [, place = locale, codeset = '', modifier = ''] = /^([^.@]*)(?:\.([^@]*))?(@.*)?$/.exec(locale) ?? []
  return `${place}.${plain(codeset)}${modifier}`
}
