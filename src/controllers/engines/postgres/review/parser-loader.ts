// Loads libpg-query, the server's own parser as WebAssembly (1.7 MB). Its answers are JSON, and only this file types
// them. Invariant: every failure other than a grammar error is a ParserExhaustedError. Its memory starts at 128 MiB and
// never shrinks, so only a short-lived process loads it.
import { setFlagsFromString } from 'node:v8'
import { ParserExhaustedError, rejectionOf, type SqlParser } from './sql-parser.ts'

export async function loadSqlParser(): Promise<SqlParser> {
  // Optimizing the grammar's one huge function takes 400 MiB, and more time than a review.
  setFlagsFromString('--liftoff-only')
  const { hasSqlDetails, loadModule, parsePlPgSQLSync, parseSync } = await import('libpg-query')
  await loadModule()
  return {
    // The library loses the end of a text with lone surrogates; the server receives U+FFFD for each.
    parse: (text) => answerOf(() => parseSync(text.toWellFormed()), hasSqlDetails),
    // The library gives no details for these errors.
    parseProcedural: (text) =>
      answerOf(
        () => parsePlPgSQLSync(text.toWellFormed()),
        () => true,
      ),
  }
}

function answerOf(parse: () => unknown, isVerdict: (error: unknown) => boolean): ReturnType<SqlParser['parse']> {
  try {
    return { tree: parse() }
  } catch (error) {
    if (isExhaustion(error) || !isVerdict(error)) throw new ParserExhaustedError('out of memory', { cause: error })
    return { refusal: rejectionOf(error) }
  }
}

/** A stack overflow, a WebAssembly trap, an exit without memory, and PostgreSQL's out-of-memory errors. */
function isExhaustion(error: unknown): boolean {
  if (!(error instanceof Error) || exhaustions.includes(error.name)) return true
  return /^(out of memory|stack depth limit|invalid memory alloc)/.test(error.message)
}

const exhaustions: readonly string[] = ['RangeError', 'RuntimeError', 'ExitStatus']
