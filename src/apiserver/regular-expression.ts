// Regular expressions with the syntax and semantics of Go's regexp (RE2).
// Invariant: matching takes time linear in the text, so no pattern of a user can hang the process.
// Used for `pattern` in schemas and for `matches`, `find` and `findAll` in CEL rules.
import { RE2JS } from 're2js'

/** Invalid pattern, with Go's message: "error parsing regexp: missing closing ): `(`". */
export class RegularExpressionError extends Error {
  override readonly name = 'RegularExpressionError'
}

export interface RegularExpression {
  /** Returns whether it matches anywhere in the text. */
  test(text: string): boolean
  /** Returns the leftmost match, or undefined. */
  find(text: string): string | undefined
  /** Returns all non-overlapping matches, at most `limit`; a negative limit means no limit. */
  findAll(text: string, limit: number): string[]
}

/**
 * Compiles a pattern. Keep the result: compiling costs about a millisecond, a test about a microsecond.
 *
 * @example regularExpression('^[a-z]+$').test('abc')   // true
 */
export function regularExpression(pattern: string): RegularExpression {
  const compiled = compile(pattern)
  return {
    test: (text) => compiled.test(text),
    find: (text) => {
      const matcher = compiled.matcher(text)
      return matcher.find() ? (matcher.group() ?? '') : undefined
    },
    findAll: (text, limit) => {
      const matcher = compiled.matcher(text)
      const found: string[] = []
      let end = -1
      while (found.length !== limit && matcher.find()) {
        // Like Go: no empty match directly after another match.
        if (matcher.end() === end && matcher.start() === end) continue
        end = matcher.end()
        found.push(matcher.group() ?? '')
      }
      return found
    },
  }
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (thrown) {
    if (thrown instanceof Error) throw new RegularExpressionError(thrown.message)
    throw thrown
  }
}
