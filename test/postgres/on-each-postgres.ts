// How does one suite run on every version of PostgreSQL that this machine has? By these, in test files of the project
// `postgres`; what they start goes with the suite or the test.
import { afterAll, beforeAll, describe, inject, onTestFinished } from 'vitest'
import { type PostgresOptions, PostgresServer } from './postgres-server.ts'

type Suite = (server: () => PostgresServer, version: number) => void

/**
 * Tells the suite once for every version, each time with one server for all its tests.
 *
 * @example
 * onEachPostgres('roles', (server) => {
 *   it('…', async () => { await server().byHand('SELECT 1') })
 * })
 */
export function onEachPostgres(title: string, suite: Suite, options: PostgresOptions = {}): void {
  onVersions(inject('postgresHome').versions, title, suite, options)
}

/** As `onEachPostgres`, of those servers whose version a tool of the machine can read, or cannot. */
export function onPostgresOf(isMeant: (major: number) => boolean, title: string, suite: Suite): void {
  const versions = inject('postgresHome').versions.filter(({ major }) => isMeant(major))
  onVersions(versions, title, suite, {})
}

/** As `onEachPostgres`, where what is tried is above the versions. */
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
