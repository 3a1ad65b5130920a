// Has a database the encoding and the locale that are asked for? They are chosen when it is made, and nothing changes them after that.
// Names are compared as the server reads them: `utf-8` is `UTF8`, `de_DE.utf8` is `de_DE.UTF-8`. Pure.
import type { ObservedDatabase } from '../engines/observed-server.ts'
import type { LogicalDatabase } from './logical-database.ts'

export interface CharacterDifference {
  readonly reason: 'EncodingDiffers' | 'LocaleDiffers'
  readonly message: string
}

/** Undefined where it is as asked for, also where nothing is. */
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

/** What servers say; each has further names by which it may be asked for. Source: PostgreSQL, "Supported Character Sets". */
const encodings: ReadonlySet<string> = new Set(
  (
    'SQLASCII UTF8 MULEINTERNAL EUCJP EUCCN EUCKR EUCTW EUCJIS2004 KOI8R KOI8U ' +
    'LATIN1 LATIN2 LATIN3 LATIN4 LATIN5 LATIN6 LATIN7 LATIN8 LATIN9 LATIN10 ISO88595 ISO88596 ISO88597 ISO88598 ' +
    'WIN866 WIN874 WIN1250 WIN1251 WIN1252 WIN1253 WIN1254 WIN1255 WIN1256 WIN1257 WIN1258'
  ).split(' '),
)

/** A name that is not among them may be a further one of what is there. */
function isOtherEncoding(wanted: string, found: string): boolean {
  return encodings.has(plain(wanted)) && plain(wanted) !== plain(found)
}

function plain(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
}

/** `POSIX` is another name of `C`; of the rest only the codeset is written in several ways. */
function plainLocale(locale: string): string {
  if (locale === 'POSIX') return plainLocale('C')
  const [, place = locale, codeset = '', modifier = ''] = /^([^.@]*)(?:\.([^@]*))?(@.*)?$/.exec(locale) ?? []
  return `${place}.${plain(codeset)}${modifier}`
}
