// Validates the shape of a manifest. A digest shows that a manifest is unchanged, not who wrote it: anyone with access
// to the store can write one.
// Invariant: each part that becomes a statement, a path or a program, or that is compared with restored data, is
// validated before use. Pure.
type Check = (value: unknown) => boolean

/** Path of the first part with a wrong shape; undefined if there is none. */
export function misshapen(manifest: unknown, parts: Readonly<Record<string, Check>>): string | undefined {
  return Object.entries(parts).find(([path, check]) => !check(at(manifest, path.split('.'))))?.[0]
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce((found, name) => (isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined), value)
}

const text: Check = (value) => typeof value === 'string'
const matching =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)
const integerText = matching(/^-?\d+$/)
const nothing: Check = (value) => value === null
const whole: Check = (value) => Number.isSafeInteger(value)
const size: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const flag: Check = (value) => typeof value === 'boolean'
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const word =
  (...words: readonly string[]): Check =>
  (value) =>
    words.some((one) => one === value)
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const either =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.some((check) => check(value))
/** Requires these fields and ignores others, which are only compared. */
const holding =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(fields).every(([name, check]) => check(at(value, [name])))
/** Requires these fields and rejects others. */
const record =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.keys(value).every((name) => Object.hasOwn(fields, name)) && holding(fields)(value)

/** Requires the same shape of each value. */
const map =
  (check: Check): Check =>
  (value) =>
    isRecord(value) && Object.values(value).every(check)

const localeProvider = either(
  record({ kind: word('libc') }),
  record({ kind: word('icu'), locale: text, rules: maybe(text) }),
  record({ kind: word('builtin'), locale: text }),
)

const named = { schema: text, name: text, privileges: list(text) }

const publicRights = record({
  objects: list(
    either(
      record({ on: word('Schema', 'Table', 'Sequence', 'Type'), ...named }),
      record({ on: word('Column'), ...named, column: text }),
      record({ on: word('Function'), ...named, arguments: list(record({ schema: text, name: text, isArray: flag })) }),
    ),
  ),
  defaults: list(
    record({
      on: word('Table', 'Sequence', 'Function', 'Schema', 'Type'),
      schema: text,
      privileges: list(text),
    }),
  ),
})

const inEachForm = {
  'source.database': text,
  'source.owner': text,
  'source.systemIdentifier': text,
  'source.databaseOid': whole,
  'source.majorVersion': whole,
  'artifact.file': text,
  'artifact.sizeBytes': size,
  'artifact.sha256': text,
  'artifact.toolVersion': matching(/^\d+/),
}

export const logicalShape: Readonly<Record<string, Check>> = {
  ...inEachForm,
  'source.encoding': text,
  'source.collate': text,
  'source.ctype': text,
  'source.localeProvider': maybe(localeProvider),
  'contents.rowHash': maybe(word('md5', 'hashtextextended')),
  'contents.tables': list(
    holding({ schema: text, name: text, rows: either(integerText, word('')), hash: either(integerText, nothing) }),
  ),
  'contents.sequences': list(
    holding({
      ...{ schema: text, name: text, lastValue: either(integerText, nothing), increment: integerText, cycles: flag },
    }),
  ),
  'contents.largeObjects': integerText,
  'contents.objects': map(whole),
  'contents.extensions': list(record({ name: text, version: text, schema: text })),
  publicRights: maybe(publicRights),
}

export const physicalShape: Readonly<Record<string, Check>> = {
  ...inEachForm,
  'artifact.packing': word('gzip', 'zstd', 'none'),
  'copy.admin': text,
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
