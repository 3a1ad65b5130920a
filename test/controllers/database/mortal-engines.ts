// Connection of a test's operators to their database server. Each operator process has its own proxy, so that a dead
// process reaches no server. An engine counts its uses, because the server's time is not that of the test's clock.
import type { DatabaseEngine, DatabaseServer } from '../../../src/controllers/engines/engine.ts'
import { postgresEngine } from '../../../src/controllers/engines/postgres/postgres-driver.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import type { ExternalTools } from '../../../src/index.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { type ProxyStatement, SqlProxy, type Verdict } from '../../postgres/sql-proxy.ts'

/** `dieBefore`, `dieAfter`: like the cuts of the proxy; the operator is killed with it. */
export type Fate = Verdict | 'dieBefore' | 'dieAfter'

/** `serverDies`: before it receives the statement. It restarts at once. */
export type ServerFate = Fate | 'serverDies'

export const serverFates = ['cutBefore', 'cutAfter', 'dieBefore', 'dieAfter', 'serverDies'] as const

export interface FatedStatement extends ProxyStatement {
  readonly fate: Fate
  /** Over all operator processes. */
  readonly link: string
}

export class MortalEngines {
  /** Decides about every statement of the current operator process. */
  judge: (statement: ProxyStatement) => Fate = () => 'pass'
  /** Real address of servers, for any address that the operator uses. */
  target: ServerAccess
  readonly #onDeath: () => void
  readonly #statements: FatedStatement[] = []
  #life = 0
  #proxy: SqlProxy | undefined
  #openAtDeath: number | undefined
  #inUse = 0

  constructor(target: ServerAccess, onDeath: () => void) {
    this.target = target
    this.#onDeath = onDeath
  }

  /** Statements of all operator processes. */
  get statements(): readonly FatedStatement[] {
    return [...this.#statements]
  }

  get isInUse(): boolean {
    return this.#inUse > 0
  }

  /** Returns whether an operation waits for the server. */
  get isAtWork(): boolean {
    return this.isInUse && this.#proxy?.isServerAtWork === true
  }

  /** Returns whether the operator died at a statement and has not restarted. */
  get hasDied(): boolean {
    return this.#openAtDeath !== undefined
  }

  /** Proxy of the current operator process. */
  get proxy(): SqlProxy {
    if (this.#proxy === undefined) throw new Error('no life has begun')
    return this.#proxy
  }

  /** Starts a new operator process, after the previous one has ended. */
  async begin(): Promise<void> {
    await this.end()
    const life = this.#life
    const proxy = await SqlProxy.start(this.target)
    proxy.judge = (statement) => (life === this.#life ? this.#judged(statement, life) : 'cutBefore')
    this.#proxy = proxy
  }

  async end(): Promise<void> {
    this.#life += 1
    this.#inUse = 0
    await this.#ofLastStatement()
    this.#openAtDeath = undefined
    await this.#proxy?.stop()
  }

  /** Called once for each operator process, because its controllers share one engine. */
  readonly engineOf = (tools: ExternalTools): DatabaseEngine => {
    const engine = postgresEngine(tools)
    const life = this.#life
    const { port } = this.proxy
    const dial = { host: '127.0.0.1', port }
    return {
      server: (access, use) => this.#watched(engine.server({ ...access, dial }, use), life),
      visit: (access, use) => engine.visit({ ...access, dial }, use),
    }
  }

  #judged(statement: ProxyStatement, life: number): Verdict {
    const fate = this.judge(statement)
    this.#statements.push({ ...statement, fate, link: `${life}/${statement.connection}` })
    if (fate !== 'dieBefore' && fate !== 'dieAfter') return fate
    this.#life += 1
    this.#inUse = 0
    this.#openAtDeath = this.proxy.connections.open
    this.#onDeath()
    return fate === 'dieBefore' ? 'cutBefore' : 'cutAfter'
  }

  /** The server executes the last statement of a dying operator before its connection ends. */
  async #ofLastStatement(): Promise<void> {
    const open = this.#openAtDeath
    if (open === undefined) return
    const wait = { what: 'the last statement of a life to be done', everyMs: 2 }
    await waitUntil(wait, async () => this.proxy.connections.open < open)
  }

  /** A dead operator process receives no answers. */
  #watched(server: DatabaseServer, life: number): DatabaseServer {
    const watch = async <T>(call: Promise<T>): Promise<T> => {
      if (life === this.#life) this.#inUse += 1
      try {
        return await call
      } finally {
        if (life === this.#life) this.#inUse -= 1
        else await new Promise(() => undefined)
      }
    }
    return {
      observe: (question) => watch(server.observe(question)),
      observeContents: (database) => watch(server.observeContents(database)),
      observeGrants: (database, question) => watch(server.observeGrants(database, question)),
      sessions: (filter) => watch(server.sessions(filter)),
      change: (changes, at) => watch(server.change(changes, at)),
      changeDespite: (changes, roles) => watch(server.changeDespite(changes, roles)),
      createDatabase: (wish) => watch(server.createDatabase(wish)),
      dropDatabase: (database, options) => watch(server.dropDatabase(database, options)),
      terminate: (filter) => watch(server.terminate(filter)),
      endSessions: (filter) => watch(server.endSessions(filter)),
      tryLogin: (attempt) => watch(server.tryLogin(attempt)),
      query: (statement) => watch(server.query(statement)),
      queryJson: (statement, about) => watch(server.queryJson(statement, about)),
    }
  }
}

/** Injects faults at these statements, counted over all operator processes; counts injected faults. */
export function struckAt(
  engines: MortalEngines,
  server: PostgresServer,
  blows: readonly { readonly index: number; readonly fate: ServerFate }[],
): { readonly count: number } {
  const hits = { count: 0 }
  let asked = 0
  engines.judge = () => {
    asked += 1
    const blow = blows.find(({ index }) => index === asked)
    if (blow === undefined) return 'pass'
    hits.count += 1
    return fateAt(server, blow.fate)
  }
  return hits
}

export function fateAt(server: PostgresServer, fate: ServerFate): Fate {
  if (fate !== 'serverDies') return fate
  // Callers that wait for the server receive the error.
  server.crash().catch(() => undefined)
  return 'cutBefore'
}

/**
 * Counts the effects of statements with this beginning: outside a transaction when the server received them, inside one
 * at COMMIT. Assumes that the server rejected none of them.
 */
export function effectsOf(statements: readonly FatedStatement[], beginning: RegExp): Readonly<Record<string, number>> {
  const pending = new Map<string, string[] | undefined>()
  const effects: Record<string, number> = {}
  const count = (texts: readonly string[]) => {
    for (const text of texts) effects[text] = (effects[text] ?? 0) + 1
  }
  for (const { text, fate, link } of statements) {
    if (fate === 'cutBefore' || fate === 'dieBefore') continue
    const found = beginning.exec(text)?.[0]
    const transaction = pending.get(link)
    if (text.startsWith('BEGIN')) pending.set(link, [])
    else if (text === 'COMMIT' || text === 'ROLLBACK') {
      if (text === 'COMMIT') count(transaction ?? [])
      pending.delete(link)
    } else if (found !== undefined) {
      if (transaction === undefined) count([found])
      else transaction.push(found)
    }
  }
  return effects
}
