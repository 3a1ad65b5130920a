// Texts that expose a Secret value in output: the value in every encoding of output, and pieces of it.
// Invariant: a pattern has at least `minPatternLength` characters, so that none matches by chance.

/** Name of an encoding, and the value's text in it. */
export interface SecretPattern {
  readonly form: string
  readonly text: string
}

/** Shorter texts occur in output by chance. */
export const minPatternLength = 8

/** Shorter Secret values cannot be found reliably; fixtures use `secretText`. */
const minValueLength = 10

const tokenPiece = minPatternLength
const minTokenLength = 24
const minKeyLine = 40

/** True if output that contains this value exposes it: short values and plain words occur by chance. */
export function isMarkable(value: string): boolean {
  return value.length >= minValueLength && new Set(value).size >= 6
}

/** Returns all patterns of a value, each text once. */
export function secretPatterns(value: string): readonly SecretPattern[] {
  const forms = [...encodings(value), ...tokenPieces(value), ...keyLines(value)]
  const formOf = new Map<string, string>()
  for (const { form, text } of forms) {
    if (text.length >= minPatternLength && !formOf.has(text)) formOf.set(text, form)
  }
  return [...formOf].map(([text, form]) => ({ form, text }))
}

function encodings(value: string): readonly SecretPattern[] {
  const bytes = Buffer.from(value)
  const json = escaped(value)
  const url = encodeURIComponent(value).replaceAll(/[!'()*]/g, percentEncoded)
  return [
    { form: 'plain', text: value },
    { form: 'JSON', text: json },
    { form: 'JSON in JSON', text: escaped(json) },
    { form: 'URL', text: encodeURIComponent(value) },
    { form: 'URL', text: url },
    { form: 'URL', text: url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()) },
    { form: 'URL form', text: url.replaceAll('%20', '+') },
    { form: 'SQL literal', text: value.replaceAll("'", "''") },
    { form: 'hexadecimal', text: bytes.toString('hex') },
    { form: 'hexadecimal', text: bytes.toString('hex').toUpperCase() },
    ...base64Forms(bytes),
  ]
}

/**
 * Returns base64 of a text that contains the value, in three alignments, without the ends that depend on the
 * neighbours.
 */
function base64Forms(bytes: Buffer): readonly SecretPattern[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const first = offset === 0 ? 0 : offset + 1
    const last = Math.floor((offset + bytes.length) / 3) * 4
    const own = text.slice(first, last)
    return [
      { form: 'base64', text: own },
      { form: 'base64url', text: own.replaceAll('+', '-').replaceAll('/', '_') },
    ]
  })
}

/** Returns pieces of a random token, to find a split one: every part with 15 characters contains a piece. */
function tokenPieces(value: string): readonly SecretPattern[] {
  if (value.length < minTokenLength || !/^[\w+/=~-]+$/.test(value)) return []
  const starts = Array.from({ length: Math.floor(value.length / tokenPiece) }, (_, index) => index * tokenPiece)
  return starts
    .map((start) => value.slice(start, start + tokenPiece))
    .filter(looksRandom)
    .map((text) => ({ form: 'piece', text }))
}

/** Returns the lines of a private key in PEM. */
function keyLines(value: string): readonly SecretPattern[] {
  if (!value.includes('PRIVATE KEY-----')) return []
  return value
    .split('\n')
    .filter((line) => line.length >= minKeyLine && !line.startsWith('-----'))
    .map((text) => ({ form: 'line of a key', text }))
}

/** True unless the text is a word: it has digits among letters, or capitals after small letters. */
function looksRandom(text: string): boolean {
  return /[0-9]/.test(text) ? /[A-Za-z]/.test(text) : /[a-z][A-Z]/.test(text)
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
