// One home of PostgreSQL servers for all test files of the project `postgres`. Its test files start servers with
// startPostgres.
import type { TestProject } from 'vitest/node'
import { makePostgresHome, type PostgresHome, removePostgresHome } from './postgres-home.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresHome: PostgresHome
  }
}

/** Vitest calls it once before the first test file, and the returned function after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = await makePostgresHome()
  project.provide('postgresHome', home)
  return () => removePostgresHome(home)
}
