// Which texts are likely to break quoting? Quotes, backslashes, comments, dollars, words of SQL and letters of many bytes, in any order.
import fc from 'fast-check'

const pieces = [
  ...[
    '"',
    "'",
    '\\',
    '$',
    '$$',
    '%',
    '`',
    ';',
    '--',
    '/*',
    '*/',
    ',',
    '.',
    ' ',
    '\n',
    '\t',
    '(',
    ')',
    '{',
    '}',
    '=',
    ':',
    '@',
  ],
  ...['DROP TABLE x', 'user', 'select', 'PUBLIC', 'CURRENT_USER', 'null', 'a', 'Z', '0', '_', 'E', 'U&'],
  ...['é', 'ß', '\u00a0', '\u200b', '\u202e', '漢', '😀', 'e\u0301'],
]

export const hostileText = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''))

/** At most 63 bytes, and at least one. */
export const hostileName = hostileText.map((text) => {
  const whole = [...text].reduce((kept, letter) => (Buffer.byteLength(kept + letter) > 63 ? kept : kept + letter), '')
  return whole === '' ? 'a"; DROP TABLE x; --' : whole
})
