// Generators of hostile values: texts that escape quotes, lines, paths and terminals, and JSON with keys of prototypes.
import fc from 'fast-check'

const breaks = [
  ...[
    "'",
    '"',
    "''",
    '""',
    '\\',
    "\\'",
    '`',
    '$$',
    '$a$',
    ';',
    '--',
    '/*',
    '*/',
    '{{',
    '}}',
    '%s',
    '%00',
    '$x',
    '$(x)',
  ],
  ...[
    "'; DROP TABLE users; --",
    '"; DROP ROLE x; --',
    "E'\\",
    "x'y",
    '\u0000',
    '\n',
    '\r\n',
    '\t',
    '\u001b[31m',
    '\u009b2J',
  ],
  ...['\u2028', '\u2029', '\u0085', '\u007f', '\ud800', '\udc00', '\u202e', '\ufeff', 'İ', 'ß', '😀', 'é', '\u0301'],
  ...['..', '../', '../../etc/passwd', '/', '//', './', '.', '~', '\\..\\', '%2e%2e%2f', 'a/../b', 'file://', 'C:'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'],
  ...['true', 'null', 'undefined', 'NaN', '-0', '1e999', '0x10', '-1', '9'.repeat(30), '1.5Gi', '10m', '1h30m', 'Ki'],
  ...[
    'konverge ',
    'konverge {',
    '{"uid":',
    '{"a":',
    '[',
    '}',
    'public',
    'none',
    'current_user',
    'pg_catalog',
    'POSTGRES',
    'a-b',
    'x0123456789',
  ],
]

/** Keys with a meaning in JavaScript. */
const prototypeKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  'then',
  'length',
]

/** Longer than every limit of this project, and short enough for a million of them. */
const longest = 2_000

/** Any text, mostly of pieces that escape something. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .array(fc.oneof(fc.constantFrom(...breaks), fc.string({ unit: 'binary', maxLength: 6 })), { maxLength: 6 })
      .map((parts) => parts.join('')),
  },
  { weight: 2, arbitrary: fc.constantFrom(...breaks) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...breaks, 'a', '-', '€'), fc.integer({ min: 1, max: 600 }))
      .map(([piece, count]) => piece.repeat(count).slice(0, longest)),
  },
)

/** A name that a user could choose, or a hostile one. */
export const hostileName: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.stringMatching(/^[a-z][a-z0-9-]{0,61}[a-z0-9]$/) },
)

const scalar = fc.oneof(hostileText, fc.integer(), fc.double(), fc.boolean(), fc.constant(null))
const key = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...prototypeKeys) }, { weight: 2, arbitrary: hostileText })

/** Returns an object with own properties only; `__proto__` becomes one too, as in JSON. */
export function ownRecord(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries)
}

/** Any result of JSON.parse. */
export const hostileJson: fc.Arbitrary<unknown> = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(ownRecord),
  ),
})).value

/** JSON that is nested too deep for recursive functions: they exhaust the stack. */
const deepJson: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('[', '{"a":', '{"__proto__":', '{"manifest":'), fc.integer({ min: 10, max: 20_000 }))
  .map(([open, depth]) => `${open.repeat(depth)}1${(open.startsWith('[') ? ']' : '}').repeat(depth)}`)

/** Text in place of JSON. */
export const hostileJsonText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: hostileJson.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: hostileText },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        hostileJson.map((value) => JSON.stringify(value)),
        fc.nat(60),
      )
      .map(([text, at]) => text.slice(0, at)),
  },
  { weight: 1, arbitrary: deepJson },
)

/** Returns the value with a few parts replaced, removed or renamed. */
export function mutated(value: unknown): fc.Arbitrary<unknown> {
  return fc
    .array(
      fc.tuple(fc.array(fc.nat(12), { minLength: 1, maxLength: 5 }), fc.oneof(hostileJson, fc.constant(removed))),
      { maxLength: 3 },
    )
    .map((edits) => edits.reduce((edited, [path, part]) => replacedAt(edited, path, part), value))
}

const removed = Symbol('removed')

function replacedAt(value: unknown, [first = 0, ...rest]: readonly number[], part: unknown): unknown {
  if (typeof value !== 'object' || value === null) return part === removed ? value : part
  const entries = Object.entries(value)
  if (entries.length === 0) return part === removed ? value : part
  const at = first % entries.length
  const edited = entries.flatMap(([name, field], index): [string, unknown][] => {
    if (index !== at) return [[name, field]]
    if (rest.length > 0) return [[name, replacedAt(field, rest, part)]]
    return part === removed ? [] : [[name, part]]
  })
  return Array.isArray(value) ? edited.map(([, field]) => field) : Object.fromEntries(edited)
}

/** Random bytes, and bytes of hostile texts. */
export const hostileBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 700 }),
  hostileText.map((text) => Buffer.from(text)),
)

/** Labels, annotations, or the data of a Secret. */
export const hostileTexts: fc.Arbitrary<Record<string, string>> = fc
  .array(fc.tuple(key, hostileText), { maxLength: 5 })
  .map((entries) => Object.fromEntries(entries))
