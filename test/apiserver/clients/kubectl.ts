// Runner of the real kubectl. Each command is a process, with the kubeconfig and the cache folder of its server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { waitUntil } from '../../control-plane/wait-until.ts'

export interface KubectlOptions {
  readonly program: string
  readonly kubeconfig: string
  /** Discovery cache of kubectl; also its home and working folder. */
  readonly folder: string
}

export interface Command {
  /** Arguments, without `kubectl`. */
  readonly args: readonly string[]
  readonly stdin?: string | undefined
  /** The program that `edit` starts. */
  readonly editor?: string | undefined
  /** True to compare only the last line of output, if servers report different progress. */
  readonly isGradual?: boolean | undefined
}

export interface CommandOutcome {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

const limitMs = 240_000

export class Kubectl {
  readonly #options: KubectlOptions

  constructor(options: KubectlOptions) {
    this.#options = options
  }

  async run(command: Command): Promise<CommandOutcome> {
    const { outcome } = this.#start(command)
    return await outcome
  }

  /** Starts a long-running command. Calls `change` after its first output, and ends it once it has printed `last`. */
  async watch(command: Command, last: RegExp, change: () => Promise<unknown>): Promise<string> {
    const { child, outcome, printed } = this.#start(command)
    const giveUp = () => {
      if (child.exitCode !== null) throw new Error(`kubectl has ended: ${printed()}`)
    }
    try {
      await waitUntil({ what: 'the first line of kubectl', limitMs, giveUp }, async () => printed().includes('\n'))
      await change()
      await waitUntil({ what: `kubectl to print ${last}`, limitMs, giveUp }, async () => last.test(printed()))
    } finally {
      child.kill()
    }
    return (await outcome).stdout
  }

  #start({ args, stdin = '', editor = 'false' }: Command) {
    const { program, kubeconfig, folder } = this.#options
    const child = spawn(program, ['--kubeconfig', kubeconfig, '--cache-dir', folder, ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder, KUBE_EDITOR: editor },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: limitMs,
    })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.stdin.on('error', () => {}) // A command that reads no input may have ended before.
    child.stdin.end(stdin)
    const outcome = once(child, 'close').then(([exitCode]): CommandOutcome => ({ exitCode, stdout, stderr }))
    return { child, outcome, printed: () => stdout }
  }
}
