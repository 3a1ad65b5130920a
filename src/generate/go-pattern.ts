// What does a pattern of a definition match? The API server reads patterns with Go's regexp (RE2), whose writing differs from
// JavaScript's in places. Sources: github.com/google/re2/wiki/Syntax, ECMA-262.

/** The same pattern for JavaScript; undefined where it cannot be said, or is none. */
export function goPattern(pattern: string): RegExp | undefined {
  const source = translated(pattern)
  try {
    return source === undefined ? undefined : new RegExp(source, 'u')
  } catch {
    // A pattern that neither side can read, or a feature that only Go has.
    return undefined
  }
}

function translated(pattern: string): string | undefined {
  const [flags = '', names = ''] = /^\(\?([a-zA-Z]+)\)/.exec(pattern) ?? []
  const tokens = tokensOf(pattern.slice(flags.length))
  if (tokens.includes(undefined)) return undefined
  return names === '' ? tokens.join('') : `(?${names}:${tokens.join('')})`
}

/** Piece by piece: undefined for one that JavaScript has no word for. Linear in the pattern. */
function tokensOf(pattern: string): (string | undefined)[] {
  const tokens: (string | undefined)[] = []
  let rest = pattern
  let isInClass = false
  while (rest !== '') {
    const [taken, token] = nextToken(rest, isInClass)
    if (taken.startsWith('[') && !taken.startsWith('[:')) isInClass = true
    else if (taken === ']') isInClass = false
    tokens.push(token)
    rest = rest.slice(taken.length)
  }
  return tokens
}

type Token = readonly [taken: string, token: string | undefined]

function nextToken(rest: string, isInClass: boolean): Token {
  if (rest.startsWith('\\')) return escapeToken(rest, isInClass)
  return isInClass ? classToken(rest) : plainToken(rest)
}

function plainToken(rest: string): Token {
  // A bracket that opens a set is itself in the set.
  const [opened] = /^\[\^?\]?/.exec(rest) ?? []
  if (opened !== undefined) return [opened, opened.replace(']', '\\]')]
  const [repeated] = /^\{\d+(,\d*)?\}/.exec(rest) ?? []
  if (repeated !== undefined) return [repeated, repeated]
  if (rest.startsWith('(?P<')) return ['(?P<', '(?<']
  // Flags up to the end of a group, and the flag that turns greed around, have no counterpart.
  const [flags] = /^\(\?[a-zA-Z-]*\)|^\(\?[a-zA-Z-]*U[a-zA-Z-]*:/.exec(rest) ?? []
  if (flags !== undefined) return [flags, undefined]
  const first = characterOf(rest)
  return [first, '{}]'.includes(first) ? `\\${first}` : first]
}

function classToken(rest: string): Token {
  const [named, negation = '', name = ''] = /^\[:(\^?)(\w+):\]/.exec(rest) ?? []
  if (named !== undefined) return [named, negation === '' ? posixClasses[name] : undefined]
  const first = characterOf(rest)
  return [first, first === '[' ? '\\[' : first]
}

const posixClasses: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
}

const space = '\\t\\n\\f\\r '

function escapeToken(rest: string, isInClass: boolean): Token {
  const [quoted, literal = ''] = /^\\Q(.*?)(?:\\E|$)/su.exec(rest) ?? []
  if (quoted !== undefined) return [quoted, literal.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')]
  const [property, letter = '', single, name = ''] = /^\\([pP])(?:([A-Z])|\{(\w+)\})/.exec(rest) ?? []
  if (property !== undefined) return [property, `\\${letter}{${propertyName(single ?? name)}}`]
  const [codePoint, digits = ''] = /^\\x(?:\{([0-9A-Fa-f]+)\}|[0-9A-Fa-f]{2})/.exec(rest) ?? []
  if (codePoint !== undefined) return [codePoint, digits === '' ? codePoint : `\\u{${digits}}`]
  const escaped = characterOf(rest.slice(1))
  const taken = `\\${escaped}`
  switch (escaped) {
    case 'A':
      return [taken, '(?<![^])']
    case 'z':
      return [taken, '(?![^])']
    case 'a':
      return [taken, '\\x07']
    case 's':
      return [taken, isInClass ? space : `[${space}]`]
    case 'S':
      return [taken, isInClass ? undefined : `[^${space}]`]
    default:
      return [taken, plainEscape(escaped, isInClass)]
  }
}

/** General categories have short names, scripts long ones. */
function propertyName(name: string): string {
  return name.length <= 2 ? name : `Script=${name}`
}

function plainEscape(escaped: string, isInClass: boolean): string | undefined {
  if (/^[dDwWtnrfv]$/.test(escaped)) return `\\${escaped}`
  if (/^[bB]$/.test(escaped)) return isInClass ? undefined : `\\${escaped}`
  if (escaped === '' || /^[A-Za-z0-9]$/.test(escaped)) return undefined
  return /^[\^$\\.*+?()[\]{}|/]$/.test(escaped) || (isInClass && escaped === '-') ? `\\${escaped}` : escaped
}

/** The first character, also one that takes two code units. */
function characterOf(text: string): string {
  const [first = ''] = text.slice(0, 2)
  return first
}
