// Functions that run a suite on the installed versions of PostgreSQL, in test files of the project `postgres`.
// Their servers are removed with the suite or the test.
import { afterAll, beforeAll, describe, inject, onTestFinished } from 'vitest'
import { type PostgresOptions, PostgresServer } from './postgres-server.ts'

type Suite = (server: () => PostgresServer, version: number) => void

/**
 * Runs the suite on every version, each time with one server for all its tests.
 * Example: `onEachPostgres('roles', (server) => it('…', () => server().byHand('SELECT 1')))`.
 */
export function onEachPostgres(title: string, suite: Suite, options: PostgresOptions = {}): void {
  onVersions(inject('postgresHome').versions, title, suite, options)
}

/** As `onEachPostgres`, on the versions for which `isMeant` is true, e.g. those that an installed tool can dump. */
export function onPostgresOf(isMeant: (major: number) => boolean, title: string, suite: Suite): void {
  const versions = inject('postgresHome').versions.filter(({ major }) => isMeant(major))
  onVersions(versions, title, suite, {})
}

/** As `onEachPostgres`, on the newest version only, for tests that do not depend on the version. */
export function onNewestPostgres(title: string, suite: Suite, options: PostgresOptions = {}): void {
  onVersions(inject('postgresHome').versions.slice(-1), title, suite, options)
}

function onVersions(
  versions: readonly { readonly major: number }[],
  title: string,
  suite: Suite,
  options: PostgresOptions,
): void {
  for (const { major } of versions) {
    describe(`${title}, on PostgreSQL ${major}`, () => {
      let server: PostgresServer | undefined
      beforeAll(async () => {
        server = await PostgresServer.start(inject('postgresHome'), { ...options, version: major })
      })
      afterAll(() => server?.remove())
      suite(() => {
        if (server === undefined) throw new Error('The server has not been started yet; ask for it in a test.')
        return server
      }, major)
    })
  }
}

/** A server for one test, which is removed after it. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const server = await PostgresServer.start(inject('postgresHome'), options)
  onTestFinished(() => server.remove())
  return server
}
