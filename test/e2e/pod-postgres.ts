// PostgreSQL for the simulated pod of a Database's server. It uses the certificate and the password of the Database's
// Secrets and writes its local address on the Service, like a local node.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { databasePort, databaseServerNames } from '../../constructs/index.ts'
import type { PostgresHome } from '../postgres/postgres-home.ts'
import { PostgresServer } from '../postgres/postgres-server.ts'
import type { StoryServer } from './story-server.ts'

export interface PodAsk {
  readonly server: StoryServer
  readonly home: PostgresHome
  readonly namespace: string
  /** Name of the Database. */
  readonly name: string
}

export class PodPostgres {
  readonly #postgres: PostgresServer
  readonly #way: Server
  readonly #password: string

  private constructor(postgres: PostgresServer, way: Server, password: string) {
    this.#postgres = postgres
    this.#way = way
    this.#password = password
  }

  /** Waits for the Secrets that the operator creates, then serves. The caller removes it. */
  static async start({ server, home, namespace, name }: PodAsk): Promise<PodPostgres> {
    const names = databaseServerNames(name)
    const secretOf = async (secret: string) => {
      const place = { namespace, kind: 'secret', name: secret }
      const wait = { what: `Secret ${secret}` }
      await server.until(wait, async () => (await server.get(place)) !== undefined)
      return secretValues(await server.get(place))
    }
    const [admin, tls] = [await secretOf(names.adminSecret), await secretOf(names.tlsSecret)]
    const { 'tls.crt': certificate = '', 'tls.key': privateKey = '' } = tls
    const postgres = await PostgresServer.start(home, { tls: { certificate, privateKey } })
    try {
      const { password = '' } = admin
      await postgres.byHand(`ALTER ROLE postgres PASSWORD '${password}'`)
      const address = `127.${randomInt(60, 250)}.${randomInt(1, 250)}.${randomInt(1, 250)}`
      const way = await wayTo(postgres.port, address)
      const annotations = { 'konverge.dev/local-address': address }
      const service = { namespace, kind: 'service', name: names.clientService }
      const isTold = async () => {
        await server.patch(service, { metadata: { annotations } })
        return true
      }
      await server.until({ what: `Service ${names.clientService}` }, isTold)
      return new PodPostgres(postgres, way, password)
    } catch (error) {
      await postgres.remove()
      throw error
    }
  }

  /** Runs SQL as the superuser. */
  byHand(text: string): Promise<readonly Record<string, unknown>[]> {
    return this.#postgres.byHand(text, { password: this.#password })
  }

  /** Runs SQL as an application. */
  login(as: { readonly user: string; readonly password: string; readonly database: string }, text: string) {
    return this.#postgres.byHand(text, as)
  }

  async remove(): Promise<void> {
    this.#way.close()
    await this.#postgres.remove()
  }
}

/** Starts a TCP relay that forwards every byte unchanged, because TLS runs between the two ends. */
async function wayTo(port: number, address: string): Promise<Server> {
  const way = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
    }
  })
  way.listen(databasePort, address)
  await once(way, 'listening')
  return way
}

/** Returns the values of a Secret in clear text. */
export function secretValues(secret: unknown): Readonly<Record<string, string>> {
  const { data = {} } = secret as { readonly data?: Readonly<Record<string, string>> } // A Secret.
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]))
}
