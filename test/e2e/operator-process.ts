// Operator in its own process: `konverge run` against a kubeconfig. The test that starts it stops it, also when the
// test fails.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { usualLimitMs, waitUntil } from '../control-plane/wait-until.ts'

const program = new URL('../../src/cli/main.ts', import.meta.url).pathname

export interface LogLine {
  readonly level: string
  readonly msg: string
  readonly [field: string]: unknown
}

export interface OperatorExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export class OperatorProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  readonly lines: LogLine[] = []
  stderr = ''

  constructor(kubeconfig: string, args: readonly string[] = []) {
    const http = ['--http-host', '127.0.0.1', '--http-port', '0']
    const all = [program, 'run', '--kubeconfig', kubeconfig, '--local-addresses', ...http, ...args]
    this.#child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#exited = new Promise((resolve, reject) => {
      this.#child.once('exit', (code, signal) => resolve({ code, signal }))
      // The process did not start, so it emits no exit.
      this.#child.once('error', reject)
    })
    if (this.#child.stdout !== null) {
      createInterface(this.#child.stdout).on('line', (line) => this.lines.push(...whole(line)))
    }
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString()
    })
  }

  /** Waits until /readyz answers 200. */
  async ready(limitMs = usualLimitMs): Promise<this> {
    await this.until('the operator to be ready', async () => (await this.get('/readyz')).status === 200, limitMs)
    return this
  }

  /** Waits for a condition; rejects at once when the process exits. */
  async until(what: string, isSo: () => Promise<boolean>, limitMs = 120_000): Promise<void> {
    await waitUntil({ what, limitMs, giveUp: () => this.throwIfEnded() }, isSo)
  }

  /** Throws if the process exited by itself; a killed process does not count. */
  throwIfEnded(): void {
    if (this.#child.exitCode !== null) throw new Error(`the operator has ended: ${this.stderr}`)
  }

  /** Sums the series of a metric whose labels contain `labels`. */
  async metric(name: string, labels = ''): Promise<number> {
    return metricIn((await this.get('/metrics')).text, name, labels)
  }

  /** Returns a page of the operator's HTTP server. */
  get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    return pageOf(this.lines, path)
  }

  /** Sends a signal and returns at once, for example SIGSTOP or SIGCONT. */
  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Resolves when the process has exited by itself. */
  async exit(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return await this.#exited
  }

  /** Sends the signal; kills the process if it does not exit. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<OperatorExit> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), usualLimitMs)
    this.#child.kill(signal)
    const exit = await this.#exited
    clearTimeout(timer)
    return exit
  }
}

/** Returns a page of the HTTP server of an operator that has logged these lines. */
export async function pageOf(
  lines: readonly LogLine[],
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const serving = lines.find(({ msg }) => msg === 'serving health and metrics')
  if (serving === undefined) throw new Error('the operator does not serve yet')
  const answer = await fetch(`http://127.0.0.1:${serving['port']}${path}`)
  return { status: answer.status, text: await answer.text() }
}

/** Sums the series of a metric, in the text of a scrape, whose labels contain `labels`. */
export function metricIn(text: string, name: string, labels: string): number {
  const series = text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(labels))
  return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

/** Parses a line. A killed process may leave its last line incomplete; it is dropped. */
function whole(line: string): readonly LogLine[] {
  return line.endsWith('}') ? [JSON.parse(line) as LogLine] : []
}
