// Loads libpg-query, the server's own parser as WebAssembly (1.7 MB). Its answers are JSON, typed here and nowhere else.
// Invariant: what is no verdict of the grammar is a ParserExhaustedError. Its memory begins with 128 MiB and never shrinks, so that only a
// process that ends soon loads it.
import { setFlagsFromString } from 'node:v8'
import { ParserExhaustedError, refusalOf, type SqlParser } from './sql-parser.ts'

export async function loadSqlParser(): Promise<SqlParser> {
  // To optimize the grammar's one huge function takes 400 MiB, and more time than a review.
  setFlagsFromString('--liftoff-only')
  const { hasSqlDetails, loadModule, parsePlPgSQLSync, parseSync } = await import('libpg-query')
  await loadModule()
  return {
    // The library loses the end of a text that holds halves of surrogates; the server gets U+FFFD for each.
    parse: (text) => answerOf(() => parseSync(text.toWellFormed()), hasSqlDetails),
    // The library gives no details of these errors.
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
    return { refusal: refusalOf(error) }
  }
}

/** An overflow of the stack, a trap of the machine, its exit without memory, and what the server says when it gets none. */
function isExhaustion(error: unknown): boolean {
  if (!(error instanceof Error) || exhaustions.includes(error.name)) return true
  return /^(out of memory|stack depth limit|invalid memory alloc)/.test(error.message)
}

const exhaustions: readonly string[] = ['RangeError', 'RuntimeError', 'ExitStatus']
