// JSON in an answer of a database server. A tenant may own the table that it comes from, and a hostile server sends anything.
import { EngineError } from '../engine-error.ts'

/** Throws StatementFailed for what is no JSON. `about` completes "the server's answer about …". */
export function jsonAnswer(text: string, about: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text, which may hold rows (I11).
    const message = `the server's answer about ${about} is no JSON`
    throw new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
  }
}

/** As `jsonAnswer`, for an answer that is an object. */
export function objectAnswer(text: string, about: string): object {
  const value = jsonAnswer(text, about)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  const message = `the server's answer about ${about} is no JSON object`
  throw new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
}
