// Tests of `konverge dev --control-plane real`: its output, and that it leaves nothing behind however it ends. Each run
// has its own
// temporary folder, whose path is in the arguments of all programs that it starts.
import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { runningPrograms } from './running-programs.ts'
import { usualLimitMs, waitUntil } from './wait-until.ts'

const root = join(import.meta.dirname, '..', '..')
const program = [join(root, 'src', 'cli', 'main.ts'), 'dev', '--control-plane', 'real']

interface Start {
  readonly environment?: NodeJS.ProcessEnv
  readonly command?: readonly string[]
}

class Run {
  readonly folder = mkdtempSync(join(tmpdir(), 'konverge-start-'))
  readonly #child: ChildProcess
  stdout = ''
  stderr = ''

  constructor({ environment = process.env, command = [process.execPath, ...program] }: Start = {}) {
    const [path = '', ...args] = command
    this.#child = spawn(path, args, {
      cwd: root,
      env: { ...environment, TMPDIR: this.folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString()
    })
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString()
    })
  }

  async says(text: string): Promise<void> {
    const giveUp = () => {
      if (this.#child.exitCode !== null) throw new Error(`It has ended: ${this.stdout}${this.stderr}`)
    }
    await waitUntil({ what: `"${text}"`, giveUp }, async () => this.stdout.includes(text))
  }

  /** Returns the exit code, or the signal that ended it. */
  async end(signal?: NodeJS.Signals): Promise<number | string | null> {
    const closed = once(this.#child, 'close', { signal: AbortSignal.timeout(usualLimitMs) })
    if (signal !== undefined) this.#child.kill(signal)
    const [code, by] = (await closed) as [number | null, string | null] // As documented for this event.
    return code ?? by
  }

  /** Returns the command lines of the programs that it started and that still run. */
  commands(): readonly string[] {
    return runningPrograms().flatMap(({ command }) => (command.includes(this.folder) ? command : []))
  }

  kubectl(...args: readonly string[]): string {
    const [, kubeconfig, path] = /export KUBECONFIG=(\S+)\s+export PATH=(\S+):\$PATH/.exec(this.stdout) ?? []
    if (kubeconfig === undefined || path === undefined) throw new Error('It has not said how to use kubectl.')
    return execFileSync(join(path, 'kubectl'), args, {
      encoding: 'utf8',
      env: { KUBECONFIG: kubeconfig, HOME: dirname(kubeconfig) },
    })
  }

  /** For an orderly end: the cleanup is complete before the process ends. */
  expectNothingLeft(): void {
    expect(this.commands()).toEqual([])
    expect(readdirSync(this.folder)).toEqual([])
  }

  /** For a forced end: the cleanup runs afterwards. */
  async nothingLeft(): Promise<void> {
    await waitUntil({ what: 'all programs to end and their files to go' }, async () => {
      return this.commands().length === 0 && readdirSync(this.folder).length === 0
    })
  }

  kill(): void {
    this.#child.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

describe('konverge dev --control-plane real', () => {
  let run: Run | undefined
  afterEach(() => run?.kill())

  it('shows stores until all are Ready, then commands and changes, and ends with Ctrl-C', async () => {
    run = new Run()
    await run.says('All are Ready')
    await run.says('Ctrl-C ends everything')
    expect(run.stdout).toMatch(/^kv shop\/cart +3 of 3 replicas +True +AllReplicasReady +\d+s$/m)
    expect(run.stdout).toMatch(/^kv shop\/sessions +5 of 5 replicas +True +AllReplicasReady +\d+s$/m)

    const [metricsUrl = ''] = /http\S+\/metrics/.exec(run.stdout) ?? []
    expect((await fetch(metricsUrl)).status).toBe(200)
    const [operatorLog = ''] = /\S+\/operator\.log/.exec(run.stdout) ?? []
    expect(existsSync(operatorLog)).toBe(true)

    run.kubectl('-n', 'shop', 'scale', 'kv', 'cart', '--replicas=4')
    await waitUntil({ what: 'the line of the scaled store' }, async () =>
      /^kv shop\/cart +4 of 4 replicas +True +AllReplicasReady/m.test(run?.stdout ?? ''),
    )
    const volumes = run.kubectl('get', 'pv', '-o', 'jsonpath={.items[*].spec.hostPath.path}').split(' ')
    expect(volumes.filter((path) => existsSync(path)).length).toBeGreaterThanOrEqual(18)
    expect(run.commands()).toHaveLength(6)

    expect(await run.end('SIGINT')).toBe(0)
    expect(run.stderr).toBe('')
    run.expectNothingLeft()
    expect(volumes.filter((path) => existsSync(path))).toEqual([])
  })

  it('ends while it starts, also at a second signal', async () => {
    run = new Run()
    await run.says('starting')
    const isApiServerRunning = async () => run?.commands().some((args) => args.includes('kube-apiserver')) === true
    await waitUntil({ what: 'the API server to run' }, isApiServerRunning)
    expect(await Promise.all([run.end('SIGINT'), run.end('SIGTERM')])).toEqual([0, 0])
    expect(run.stdout.match(/stopping/g)).toHaveLength(1)
    run.expectNothingLeft()
  })

  it('ends when its parent process, such as npm, is killed', async () => {
    run = new Run({ command: ['sh', '-c', `${process.execPath} ${program.join(' ')}; true`] })
    await run.says('Kubernetes runs')
    expect(await run.end('SIGKILL')).toBe('SIGKILL')
    expect(run.stdout).toContain('stopping')
    run.expectNothingLeft()
  })

  // Programs from KUBEBUILDER_ASSETS have no lifeline.
  it.skipIf(process.env['KUBEBUILDER_ASSETS'] !== undefined)('leaves nothing behind when it is killed', async () => {
    run = new Run()
    await run.says('RESOURCE')
    expect(run.commands()).toHaveLength(6)
    expect(await run.end('SIGKILL')).toBe('SIGKILL')
    await run.nothingLeft()
  })

  it('ends with one sentence when its operator does', async () => {
    run = new Run()
    await run.says('RESOURCE')
    const { folder } = run
    const operator = runningPrograms().find(({ command }) => command.includes(`run --kubeconfig ${folder}`))
    if (operator === undefined) throw new Error('The operator does not run.')
    process.kill(operator.pid, 'SIGKILL')
    expect(await run.end()).toBe(1)
    expect(run.stderr).toBe(
      'konverge: The operator ended by itself (signal SIGKILL); its last error: none in its log\n',
    )
    run.expectNothingLeft()
  })

  it('ends with one sentence if the control plane cannot be built', async () => {
    run = new Run({ environment: { PATH: '', HOME: tmpdir() } })
    expect(await run.end()).toBe(1)
    expect(run.stderr).toMatch(/^konverge: There is no control plane to test against: install Go, .+\n$/)
    run.expectNothingLeft()
  })
})
