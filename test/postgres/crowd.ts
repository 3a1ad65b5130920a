// How is a server filled? With connections that do nothing, as many as it takes; superusers do not keep any for themselves where
// `superuser_reserved_connections` is 0. They go when they are told to, or with the test.

import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { superuser } from './postgres-home.ts'
import type { PostgresServer } from './postgres-server.ts'

/** Of a server that is soon full. */
export const fewConnections = { max_connections: '8', superuser_reserved_connections: '0', max_wal_senders: '0' }

/** What looks whether there is room takes some, and leaves it late: the server has to refuse so often. */
const refusalsToBeFull = 3

export class Crowd {
  readonly #members: Client[] = []

  /** When this resolves there is no room for anybody else. */
  static async fill(server: PostgresServer): Promise<Crowd> {
    const crowd = new Crowd()
    onTestFinished(() => crowd.leave())
    for (let refusals = 0; refusals < refusalsToBeFull; ) {
      const { port, password } = server
      const address = { host: '127.0.0.1', port, ssl: false, application_name: 'by hand' }
      const member = new Client({ ...address, user: superuser, password, database: 'postgres' })
      member.on('error', () => undefined) // The server may end before they do.
      try {
        await member.connect()
        crowd.#members.push(member)
      } catch {
        refusals += 1
      }
    }
    return crowd
  }

  async leave(): Promise<void> {
    await Promise.all(this.#members.splice(0).map((member) => member.end().catch(() => undefined)))
  }
}
