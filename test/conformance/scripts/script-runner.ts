// Runner of a script on a server: it runs the steps in a new namespace and records every response. Two such runs are
// compared by their
// canonical forms.
import { setTimeout as sleep } from 'node:timers/promises'
import { deepEqual, type Json, own } from '../../../src/base/json.ts'
import { wireJson } from '../../../src/base/wire-json.ts'
import { configMaps, namespaces, object, serviceAccounts } from '../kinds.ts'
import type { Answer, ServerUnderTest } from '../server-under-test.ts'
import { at, Stage, taken } from '../stage.ts'
import type { WatchEvent, WatchReader } from '../watch-reader.ts'
import { canonical } from './canonical.ts'
import type { Difference } from './parting.ts'
import { Memory, type Reply, type Script, type Step, verbOf } from './script.ts'

/** Quiet time after which a watch counts as complete, and a set of objects as idle. */
const quietMs = { watch: 150, settle: 1_000, serve: 1_000 }
const settleLimitMs = 30_000

export class ScriptRunner {
  readonly #left: ServerUnderTest
  readonly #right: ServerUnderTest
  #count = 0
  /** Prefix of this runner's namespaces. */
  readonly #prefix: string

  constructor(options: { readonly left: ServerUnderTest; readonly right: ServerUnderTest; readonly prefix: string }) {
    this.#left = options.left
    this.#right = options.right
    this.#prefix = options.prefix
  }

  /** Runs a script on both sides; returns its verbs and the first difference. */
  async compare(script: Script): Promise<{ verbs: readonly string[]; difference: Difference | undefined }> {
    const id = this.#count++
    const [left, right] = await Promise.all([
      transcript(this.#left, script, `${this.#prefix}l${id}`),
      transcript(this.#right, script, `${this.#prefix}r${id}`),
    ])
    const verbs = script.steps.map(verbOf)
    const step = left.findIndex((said, index) => !deepEqual(said, right[index]))
    if (step < 0) return { verbs, difference: undefined }
    return { verbs, difference: { step, left: left[step] ?? null, right: right[step] ?? null } }
  }
}

/** Returns the canonical form of a server's responses to a script, in a new namespace. */
async function transcript(server: ServerUnderTest, script: Script, namespace: string): Promise<Json[]> {
  const stage = new Stage(server, namespace)
  await stage.made(namespaces, object(namespaces, namespace))
  await furnished(stage)
  const memory = new Memory(namespace)
  const replies: Reply[] = []
  for (const step of script.steps) {
    const wasRefused = (replies.at(-1)?.answer.status ?? 200) >= 400
    const reply = await replyTo(server, { ...step, ask: memory.fill(step.ask) }, wasRefused)
    memory.learn(reply)
    replies.push(reply)
  }
  return canonical(replies, { namespace, script: JSON.stringify(script) })
}

/**
 * Waits for the default objects that controllers create in every namespace, because a script must not race with them.
 */
async function furnished(stage: Stage): Promise<void> {
  for (const [kind, name] of [
    [configMaps, 'kube-root-ca.crt'],
    [serviceAccounts, 'default'],
  ] as const)
    await stage.eventually(
      () => stage.get(kind, name),
      ({ status }) => status === 200,
    )
}

async function replyTo(server: ServerUnderTest, { kind, ask }: Step, wasRefused: boolean): Promise<Reply> {
  switch (kind) {
    case 'ask':
      if (ask.method === 'GET' && ask.query?.['resourceVersion'] !== undefined) await catchUp(server, ask.path)
      return { answer: await server.request(ask) }
    case 'watch': {
      await catchUp(server, ask.path)
      const { path, query, headers } = ask
      return await watched(await server.watch({ path, query, headers }))
    }
    case 'settle':
      return { answer: await settled(() => server.request(ask)), isSettled: true }
    case 'serve':
      // A rejected definition is never served.
      return { answer: await (wasRefused ? server.request(ask) : served(() => server.request(ask))) }
  }
}

/** Brings the server's cache of a collection up to date, so that responses from it are deterministic. */
async function catchUp(server: ServerUnderTest, path: string): Promise<void> {
  const newest = await server.request({ method: 'GET', path, query: { limit: 1 } })
  const resourceVersion = at(newest.body, 'metadata.resourceVersion')
  if (newest.status !== 200 || typeof resourceVersion !== 'string') return
  taken(
    await server.request({
      method: 'GET',
      path,
      query: { resourceVersion, resourceVersionMatch: 'NotOlderThan' },
    }),
  )
}

async function watched(watch: WatchReader): Promise<Reply> {
  const { status, headers } = watch
  try {
    if (status !== 200) return { answer: { status, headers, body: await watch.body() } }
    const events: WatchEvent[] = []
    for (let event = await nextOrQuiet(watch); event !== undefined; event = await nextOrQuiet(watch)) events.push(event)
    return { answer: { status, headers, body: null }, events }
  } finally {
    watch.close()
  }
}

/** Returns the next event; undefined if the watch ended or is quiet. */
async function nextOrQuiet(watch: WatchReader): Promise<WatchEvent | undefined> {
  try {
    return await watch.next(quietMs.watch)
  } catch (thrown) {
    if (thrown instanceof Error && thrown.message.startsWith('The watch said nothing')) return undefined
    throw thrown
  }
}

/** Returns the response after it has not changed for a while. */
async function settled(list: () => Promise<Answer>): Promise<Answer> {
  const deadline = performance.now() + settleLimitMs
  let last = await list()
  let quietSince = performance.now()
  while (performance.now() - quietSince < quietMs.settle && performance.now() < deadline) {
    await sleep(100)
    const next = await list()
    if (itemsOf(next) !== itemsOf(last)) quietSince = performance.now()
    last = next
  }
  return last
}

function itemsOf({ body }: Answer): string {
  return wireJson((typeof body === 'object' && body !== null && 'items' in body ? own(body, 'items') : body) ?? null)
}

/** Returns the response after the path is served reliably: a new kind returns occasional 404s at first. */
async function served(ask: () => Promise<Answer>): Promise<Answer> {
  const deadline = performance.now() + settleLimitMs
  for (let servedSince = performance.now(); ; ) {
    const answer = await ask()
    const now = performance.now()
    if (answer.status !== 200) servedSince = now
    if (now - servedSince > quietMs.serve || now > deadline) return answer
    await sleep(25)
  }
}
