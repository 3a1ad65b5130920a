// Tables of rejected list options, and of the objects that each selector matches.
import type { Query } from '../server-under-test.ts'

/** Contradicting options: 422 with these causes. */
export const refusedOptions: readonly { options: Query; causes: readonly (readonly [string, string, string])[] }[] = [
  {
    options: { resourceVersionMatch: 'Exact' },
    causes: [
      [
        'FieldValueForbidden',
        'resourceVersionMatch',
        'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      ],
    ],
  },
  {
    options: { resourceVersionMatch: 'NotOlderThan' },
    causes: [
      [
        'FieldValueForbidden',
        'resourceVersionMatch',
        'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      ],
    ],
  },
  {
    options: { resourceVersion: '0', resourceVersionMatch: 'Exact' },
    causes: [
      [
        'FieldValueForbidden',
        'resourceVersionMatch',
        'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      ],
    ],
  },
  {
    options: { resourceVersion: '1', resourceVersionMatch: 'Newest' },
    causes: [
      [
        'FieldValueNotSupported',
        'resourceVersionMatch',
        'Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""',
      ],
    ],
  },
  {
    options: { resourceVersionMatch: 'Newest', continue: 'x' },
    causes: [
      [
        'FieldValueForbidden',
        'resourceVersionMatch',
        'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      ],
      [
        'FieldValueForbidden',
        'resourceVersionMatch',
        'Forbidden: resourceVersionMatch is forbidden when continue is provided',
      ],
      [
        'FieldValueNotSupported',
        'resourceVersionMatch',
        'Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""',
      ],
    ],
  },
  {
    options: { sendInitialEvents: true },
    causes: [['FieldValueForbidden', 'sendInitialEvents', 'Forbidden: sendInitialEvents is forbidden for list']],
  },
  {
    options: { sendInitialEvents: false, resourceVersion: '1', resourceVersionMatch: 'NotOlderThan' },
    causes: [['FieldValueForbidden', 'sendInitialEvents', 'Forbidden: sendInitialEvents is forbidden for list']],
  },
]

/** Malformed options: 400 with this message. */
export const malformedOptions: readonly { options: Query; message: string }[] = [
  {
    options: { resourceVersion: 'abc' },
    message:
      'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  },
  {
    options: { resourceVersion: '-1' },
    message:
      'invalid resource version: resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax',
  },
  { options: { limit: 'x' }, message: 'strconv.ParseInt: parsing "x": invalid syntax' },
  { options: { timeoutSeconds: 'x' }, message: 'strconv.ParseInt: parsing "x": invalid syntax' },
  {
    options: { continue: 'e30' },
    message: 'invalid continue token: continue key is not valid: server does not recognize this encoded version ',
  },
  { options: { labelSelector: 'a===b' }, message: "unable to parse requirement: found '=', expected: identifier" },
  { options: { labelSelector: ',,' }, message: "found ',', expected: !, identifier, or 'end of string'" },
  { options: { fieldSelector: 'spec.size=1' }, message: 'field label not supported: spec.size' },
  {
    options: { fieldSelector: 'metadata.name' },
    message: "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
  },
  { options: { fieldSelector: '\\' }, message: "invalid selector: '\\'; can't understand '\\'" },
  { options: { fieldSelector: '=a' }, message: 'field label not supported: ' },
  ...['metadata.name=a=b', 'metadata.name===a', 'metadata.name!==a', '==='].map((fieldSelector) => ({
    options: { fieldSelector },
    message: 'invalid field selector: unescaped character in value: 61',
  })),
  {
    options: { fieldSelector: 'metadata.name=a\\b' },
    message: 'invalid field selector: invalid escape sequence: \\b',
  },
  { options: { fieldSelector: 'metadata.name=\\' }, message: 'invalid field selector: invalid escape sequence: \\' },
  // The server parses the terms in alphabetical order.
  { options: { fieldSelector: 'b=1,a=1' }, message: 'field label not supported: a' },
]

/** Matches of each selector: `a: {tier: front, in: …}`, `b: {tier: back, rank: '2', in: …}` and `c: {in: …}`. */
export const selectors: readonly (readonly [string, readonly string[]])[] = [
  ['tier=front', ['a']],
  ['tier==front', ['a']],
  ['tier!=front', ['b', 'c']],
  ['tier in (front, back)', ['a', 'b']],
  ['tier notin (front)', ['b', 'c']],
  ['tier', ['a', 'b']],
  ['!tier', ['c']],
  ['rank>1', ['b']],
  ['rank<2', []],
  ['tier=front,rank', []],
  ['tier=', []],
  ['tier in (,front)', ['a']],
]
