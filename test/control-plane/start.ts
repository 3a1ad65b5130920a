// `npm start`: what does konverge do? It shows the operator at work on a real control plane whose nodes kwok plays: a live
// table of its stores until all are Ready, and then what to try. However this process ends, nothing stays behind.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'yaml'
import { lookAround } from '../../src/cli/dev/look-around.ts'
import { sampleFiles, sampleObjects } from '../../src/cli/dev/sample-stores.ts'
import type { ListedStore, StoreRow } from '../../src/cli/dev/store-table.ts'
import { rowOf } from '../../src/cli/dev/store-table.ts'
import { TableScreen } from '../../src/cli/dev/table-screen.ts'
import { startControlPlane } from './control-plane.ts'
import type { ControlPlaneClient } from './control-plane-client.ts'
import { OperatorChild } from './operator-child.ts'

const root = join(import.meta.dirname, '..', '..')
const nodes = 5
const pollMs = 250
/** From when the stores are applied; seconds are usual. After this the person is told how to look for what is wrong. */
const readyLimitMs = 180_000
const orphanCheckMs = 1_000
/** For the whole clean-up. What it has not reached by then is killed and removed by the exit handlers. */
const stopLimitMs = 13_000

process.exitCode = await main()

async function main(): Promise<number> {
  const signal = endOfInterest()
  try {
    await show(signal)
  } catch (error) {
    if (signal.aborted) return 0
    process.stderr.write(`konverge: ${error instanceof Error ? error.message : error}\n`)
  }
  return 1
}

/** Aborts when somebody ends this process, reads its output no more, or has killed the npm that it belongs to. */
function endOfInterest(): AbortSignal {
  const controller = new AbortController()
  const end = () => {
    if (controller.signal.aborted) return // Asked again: the clean-up is on its way and has its limit.
    controller.abort()
    say('\nkonverge: stopping …')
    setTimeout(() => process.exit(1), stopLimitMs).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)

  // The control plane and its build listen to signals themselves, so anything else becomes one.
  const terminate = () => process.kill(process.pid, 'SIGTERM')
  for (const stream of [process.stdout, process.stderr]) stream.once('error', terminate).on('error', () => undefined)
  const parent = process.ppid
  setInterval(() => process.ppid === parent || terminate(), orphanCheckMs).unref()
  return controller.signal
}

/** Ends only by rejecting: when the signal aborts or something fails. By then all that it started has been stopped. */
async function show(signal: AbortSignal): Promise<void> {
  const startedMs = performance.now()
  const elapsed = () => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`
  await using started = new AsyncDisposableStack()

  say('konverge: starting a Kubernetes control plane …')
  const controlPlane = await startControlPlane({ kwok: { nodes }, signal })
  started.defer(() => controlPlane.stop())
  signal.throwIfAborted()
  say(`konverge: Kubernetes runs, with ${nodes} nodes that kwok plays (${elapsed()})`)

  await installDefinitions(controlPlane)
  signal.throwIfAborted()
  const operator = new OperatorChild(controlPlane.connection)
  started.defer(() => operator.stop())
  operator.start()
  await controlPlane.apply(...sampleObjects, ...(await Promise.all(sampleFiles.map(readExample))))
  say(`konverge: the operator runs, and ReplicatedKVStores have been applied (${elapsed()})\n`)

  const screen = new TableScreen(process.stdout)
  const liveUntilMs = performance.now() + readyLimitMs
  let isLive = true
  for await (const rows of storesFromNowOn(controlPlane, operator, signal)) {
    if (isLive) screen.draw(rows, Date.now())
    else screen.add(rows, Date.now())
    const areReady = rows.every(({ isReady }) => isReady)
    if (!isLive || (!areReady && performance.now() < liveUntilMs)) continue
    isLive = false
    say(areReady ? `\nAll stores are Ready after ${elapsed()}.` : `\nNot all stores are Ready after ${elapsed()}.`)
    const metricsUrl = (await operator.metricsUrl()) ?? 'not served yet'
    say(lookAround({ connection: controlPlane.connection, metricsUrl, operatorLog: operator.logFile }))
  }
}

async function installDefinitions(controlPlane: ControlPlaneClient): Promise<void> {
  const apply = ['apply', '--server-side', '-f', join(root, 'crds')]
  const wait = ['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all']
  for (const args of [apply, wait]) {
    const { exitCode, stderr } = await controlPlane.kubectl(...args)
    if (exitCode !== 0) throw new Error(`kubectl ${args.join(' ')} failed: ${stderr}`)
  }
}

async function readExample(file: string): Promise<object> {
  return parse(await readFile(join(root, 'examples', file), 'utf8'))
}

/** All stores, by namespace and name, again and again. Throws if the operator has ended or the signal aborts. */
async function* storesFromNowOn(
  controlPlane: ControlPlaneClient,
  operator: OperatorChild,
  signal: AbortSignal,
): AsyncGenerator<readonly StoreRow[]> {
  for (;;) {
    await operator.throwIfEnded()
    const path = '/apis/data.konverge.dev/v1alpha1/replicatedkvstores'
    const { status, text } = await controlPlane.request({ method: 'GET', path })
    signal.throwIfAborted() // What is written after that belongs below the table, not into it.
    if (status !== 200) throw new Error(`The stores could not be listed: ${text}`)
    const { items } = JSON.parse(text) as { readonly items: readonly ListedStore[] } // By the schema in crds/.
    yield items.map(rowOf)
    await sleep(pollMs, undefined, { signal })
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
