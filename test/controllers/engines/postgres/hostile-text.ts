// Texts that are likely to break quoting: quotes, backslashes, comments, dollars, SQL keywords and multi-byte
// characters, in any order.
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

/** 1 to 63 bytes. */
export const hostileName = hostileText.map((text) => {
  const whole = [...text].reduce((kept, letter) => (Buffer.byteLength(kept + letter) > 63 ? kept : kept + letter), '')
  return whole === '' ? 'a"; DROP TABLE x; --' : whole
})
