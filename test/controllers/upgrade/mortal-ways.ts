// How does the operator of an upgrade get to both servers? Each of its lives by a proxy of its own before each of them: at the statements that are
// told the way breaks, it dies, or the server does.
import { waitUntil } from '../../control-plane/wait-until.ts'
import { type StatementBlow, statementPlaces } from '../../crash-runs/places.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { SqlProxy, type Verdict } from '../../postgres/sql-proxy.ts'
import { fateAt, type ServerFate, serverFates } from '../database/mortal-engines.ts'
import type { Ways } from './stage-tools.ts'

interface Asked {
  readonly text: string
  /** Over all lives and both servers. */
  readonly link: string
}

/** What every pg_dump says, and nobody else. */
const dumpsSay = 'SET INTERVALSTYLE = POSTGRES'
/** A pg_dump only reads, and the workflow `backup` is struck at each of its statements. */
const everyOfDumps = 8

export class MortalWays implements Ways {
  struck = 0
  onDeath: () => void = () => {}
  /** Has it died elsewhere? Then it says nothing more. */
  isDead: () => boolean = () => false
  readonly #servers: readonly [PostgresServer, PostgresServer]
  readonly #blows: readonly StatementBlow<ServerFate>[]
  /** Of all lives, at both servers, in the order in which they were asked. */
  readonly #asked: Asked[] = []
  #proxies: readonly SqlProxy[] = []
  #life = 0

  constructor(servers: readonly [PostgresServer, PostgresServer], blows: readonly StatementBlow<ServerFate>[]) {
    this.#servers = servers
    this.#blows = blows
  }

  /** Another life. */
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
    // What a server has been asked, it does, also for the dead.
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

  /** Where it can be struck. */
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
