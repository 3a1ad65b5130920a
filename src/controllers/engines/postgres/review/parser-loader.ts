// Where does PostgreSQL's own grammar come from? From libpg-query, the server's parser as WebAssembly (1.7 MB), loaded when it is
// first needed. What it says is JSON, typed here and nowhere else.
import { refusalOf, type SqlParser } from './sql-parser.ts'

export async function loadSqlParser(): Promise<SqlParser> {
  const { loadModule, parsePlPgSQLSync, parseSync } = await import('libpg-query')
  await loadModule()
  return {
    parse: (text) => told(() => parseSync(text)),
    parseProcedural: (text) => told(() => parsePlPgSQLSync(text)),
  }
}

function told(parse: () => unknown): ReturnType<SqlParser['parse']> {
  try {
    return { tree: parse() }
  } catch (error) {
    return { refusal: refusalOf(error) }
  }
}
