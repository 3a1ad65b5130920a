// Measures the same requests over HTTPS on both servers. Each server is a separate process; this process is the client.
import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { type Load, nameOf, shopDefinition } from './loads.ts'
import { bestOf, elapsedMs } from './measure.ts'

export interface Access {
  readonly url: string
  readonly ca: string
  readonly token: string
}

export interface HttpFigures {
  readonly createsPerSecond: number
  readonly appliesPerSecond: number
  readonly listMs: number
}

const atOnce = 8
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Runs the embedded server as `konverge apiserver`, while `use` runs. */
export async function withOurServer<Result>(
  use: (access: Access, kubeconfig: string) => Promise<Result>,
  flags: readonly string[] = [],
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-bench-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))
  const args = [main, 'apiserver', '--port', '0', '--kubeconfig', kubeconfig, ...flags]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await new Promise((resolve, reject) => child.stdout.once('data', resolve).once('end', reject))
    return await use(accessOf(await readFile(kubeconfig, 'utf8')), kubeconfig)
  } finally {
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true })
  }
}

export async function define(access: Access): Promise<void> {
  const asker = new Asker(access)
  await asker.ask('POST', definitions, JSON.stringify(shopDefinition))
  const path = `${definitions}/shops.bench.konverge.dev`
  while (!/"type":"Established","status":"True"/.test(sortedConditions(await asker.ask('GET', path))));
  asker.close()
}

/**
 * In each round, creates `count` objects and applies the existing state twice, of which it measures the second time. At
 * the end it lists all objects. Returns the best round.
 */
export async function overHttp(access: Access, load: Load, rounds: number, count: number): Promise<HttpFigures> {
  const asker = new Asker(access)
  const apply = (body: string, index: number) =>
    asker.ask('PATCH', `${load.path}/${nameOf(index)}?fieldManager=applier&force=true`, body)
  let [createMs, applyMs] = [Infinity, Infinity]
  for (let round = 0; round < rounds; round++) {
    const first = round * count
    const bodies = Array.from({ length: count }, (_, index) => JSON.stringify(load.object(first + index)))
    const all = (send: (body: string, index: number) => Promise<unknown>) =>
      elapsedMs(() => inParallel(bodies, (body, index) => send(body, first + index)))
    createMs = Math.min(createMs, await all((body) => asker.ask('POST', load.path, body)))
    await all(apply)
    applyMs = Math.min(applyMs, await all(apply))
  }
  const listMs = await bestOf(rounds, () => elapsedMs(() => asker.ask('GET', load.path)), 'less')
  asker.close()
  return { createsPerSecond: (count / createMs) * 1_000, appliesPerSecond: (count / applyMs) * 1_000, listMs }
}

export class Asker {
  readonly #access: Access
  readonly #agent: Agent

  constructor(access: Access) {
    this.#access = access
    this.#agent = new Agent({ keepAlive: true, maxSockets: atOnce, ca: access.ca })
  }

  close(): void {
    this.#agent.destroy()
  }

  ask(method: string, target: string, body?: string): Promise<string> {
    const contentType = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json'
    const headers = {
      authorization: `Bearer ${this.#access.token}`,
      accept: 'application/json',
      'content-type': contentType,
    }
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(target, this.#access.url), { method, agent: this.#agent, headers }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          if ((answer.statusCode ?? 500) < 300) resolve(text)
          else reject(new Error(`${method} ${target}: ${text}`))
        })
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }
}

export async function inParallel(
  bodies: readonly string[],
  send: (body: string, index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < bodies.length) {
      const index = next++
      await send(bodies[index] ?? '', index)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** Returns the conditions of a definition with their keys in one order. */
function sortedConditions(text: string): string {
  const { status } = JSON.parse(text) as { status?: { conditions?: { type: string; status: string }[] } } // A definition.
  return JSON.stringify((status?.conditions ?? []).map(({ type, status: value }) => ({ type, status: value })))
}

function accessOf(kubeconfig: string): Access {
  // Written by konverge apiserver: one cluster, one user.
  const { clusters, users } = parse(kubeconfig) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
    users: [{ user: { token: string } }]
  }
  const { server, 'certificate-authority-data': data } = clusters[0].cluster
  assert.match(server, /^https:/)
  return { url: server, ca: Buffer.from(data, 'base64').toString('utf8'), token: users[0].user.token }
}
