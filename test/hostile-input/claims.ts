// Claims of every property about a function's result: only coded errors, bounded sentences, no polluted prototypes.
import { CodedError } from '../../src/base/errors.ts'

/** A named claim about one function, for all inputs of a generator. */
export interface HostileProperty {
  readonly name: string
  readonly property: import('fast-check').IRawProperty<unknown>
}

/** Returns the value or the thrown coded error. Any other error propagates and fails the property. */
export function coded<T>(work: () => T): { readonly value: T } | { readonly error: CodedError } {
  try {
    return { value: work() }
  } catch (thrown) {
    if (thrown instanceof CodedError) {
      claimSentence(thrown.message)
      return { error: thrown }
    }
    throw thrown
  }
}

export function claim(holds: boolean, what: () => string): void {
  if (!holds) throw new Error(what())
}

/**
 * Longest message of an error or a fault of this project: it fits into an Event, a termination message and a terminal.
 */
const longestSentence = 8_192

export function claimSentence(text: string, longest = longestSentence): void {
  claim(text.length > 0, () => 'an error has no message')
  claim(text.length <= longest, () => `a message has ${text.length} characters: ${text.slice(0, 200)}…`)
}

/** Claims that the text has no control character of a terminal, and no line end. */
export function claimOneLine(text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: These are what is looked for.
  const found = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.exec(text)
  claim(
    found === null,
    () => `the character ${JSON.stringify(found?.[0])} (${found?.[0].charCodeAt(0)}) is in ${JSON.stringify(text)}`,
  )
}

/** Claims that Object.prototype is unchanged, and that `value` inherits from no object of an input. */
export function claimClean(value: unknown): void {
  for (const inherited in {}) throw new Error(`Object.prototype has got ${inherited}`)
  claimPrototypes(value, 0)
}

function claimPrototypes(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > 8) return
  const prototype: unknown = Object.getPrototypeOf(value)
  // The prototype of a class, or of JavaScript, has the class as its own `constructor`.
  const isOurs = prototype === null || (typeof prototype === 'object' && hasClass(prototype))
  claim(isOurs, () => 'a value inherits from an object that came from outside')
  for (const part of Object.values(value)) claimPrototypes(part, depth + 1)
}

function hasClass(prototype: object): boolean {
  return Object.hasOwn(prototype, 'constructor') && typeof prototype.constructor === 'function'
}
