// Connections of an upgrade's operator to both servers. Each process of the operator has its own proxy before each
// server.
// At the listed statements the connection breaks, the operator dies, or the server does.
import { waitUntil } from '../../control-plane/wait-until.ts'
import { type StatementBlow, statementPlaces } from '../../crash-runs/places.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { SqlProxy, type Verdict } from '../../postgres/sql-proxy.ts'
import { fateAt, type ServerFate, serverFates } from '../database/mortal-engines.ts'
import type { Ways } from './stage-tools.ts'

interface Asked {
  readonly text: string
  /** Unique over all processes and both servers. */
  readonly link: string
}

/** Every pg_dump sends it, and no other client. */
const dumpsSay = 'SET INTERVALSTYLE = POSTGRES'
/** A pg_dump only reads, and the workflow `backup` injects a fault at each of its statements. */
const everyOfDumps = 8

export class MortalWays implements Ways {
  struck = 0
  onDeath: () => void = () => {}
  /** Returns true if it has died elsewhere. Then it sends nothing more. */
  isDead: () => boolean = () => false
  readonly #servers: readonly [PostgresServer, PostgresServer]
  readonly #blows: readonly StatementBlow<ServerFate>[]
  /** Statements of all processes at both servers, in order. */
  readonly #asked: Asked[] = []
  #proxies: readonly SqlProxy[] = []
  #life = 0

  constructor(servers: readonly [PostgresServer, PostgresServer], blows: readonly StatementBlow<ServerFate>[]) {
    this.#servers = servers
    this.#blows = blows
  }

  /** Starts another process. */
  async begin(): Promise<void> {
    await this.end()
    const life = this.#life
    this.#proxies = await Promise.all(this.#servers.map((server) => SqlProxy.start(server.access())))
    for (const [at, server] of this.#servers.entries()) {
      const proxy = this.#proxy(at)
      proxy.judge = ({ text, connection }) => {
        if (life !== this.#life || this.isDead()) return 'cutBefore'
        return this.#judged(server, { text, link: `${life}/${at}/${connection}` })
      }
    }
  }

  async end(): Promise<void> {
    this.#life += 1
    // A server completes its statements, also those of a dead client.
    const wait = { what: 'what a life asked of the servers to be done', everyMs: 2 }
    await waitUntil(wait, async () => !this.#proxies.some((proxy) => proxy.isServerAtWork))
    await Promise.all(this.#proxies.map((proxy) => proxy.stop()))
  }

  old() {
    return this.#proxy(0).access()
  }

  new() {
    return this.#proxy(1).access()
  }

  /** Returns the points at which a fault can be injected. */
  places() {
    const dumps = new Set(this.#asked.filter(({ text }) => text === dumpsSay).map(({ link }) => link))
    const texts = this.#asked.map(({ text }) => text)
    return statementPlaces(texts, serverFates).filter(({ blow: { index } }) => {
      const { link = '' } = this.#asked[index - 1] ?? {}
      return !dumps.has(link) || index % everyOfDumps === 0
    })
  }

  #proxy(at: number): SqlProxy {
    const proxy = this.#proxies[at]
    if (proxy === undefined) throw new Error('no life has begun')
    return proxy
  }

  #judged(server: PostgresServer, asked: Asked): Verdict {
    this.#asked.push(asked)
    const blow = this.#blows.find(({ index }) => index === this.#asked.length)
    if (blow === undefined) return 'pass'
    this.struck += 1
    const fate = fateAt(server, blow.fate)
    if (fate !== 'dieBefore' && fate !== 'dieAfter') return fate
    this.#life += 1
    this.onDeath()
    return fate === 'dieBefore' ? 'cutBefore' : 'cutAfter'
  }
}
