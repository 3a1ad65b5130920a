// Idle connections that fill a server. Superusers have no reserved ones if `superuser_reserved_connections` is 0. They
// end on request or with the test.

import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { superuser } from './postgres-home.ts'
import type { PostgresServer } from './postgres-server.ts'

/** Settings of a server that is soon full. */
export const fewConnections = { max_connections: '8', superuser_reserved_connections: '0', max_wal_senders: '0' }

/** A check for a free connection takes one and frees it late. The server must reject this number of connections. */
const refusalsToBeFull = 3

export class Crowd {
  readonly #members: Client[] = []

  /** When this resolves, the server has no free connection. */
  static async fill(server: PostgresServer): Promise<Crowd> {
    const crowd = new Crowd()
    onTestFinished(() => crowd.leave())
    for (let refusals = 0; refusals < refusalsToBeFull; ) {
      const { port, password } = server
      const address = { host: '127.0.0.1', port, ssl: false, application_name: 'by hand' }
      const member = new Client({ ...address, user: superuser, password, database: 'postgres' })
      member.on('error', () => undefined) // The server may end before its clients do.
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
