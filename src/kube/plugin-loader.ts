// Runs a credential plugin and caches the credentials that it issues. It runs the program if there are no credentials,
// or if they have expired or the server rejected them. Invariant: one process at a time, with limited time and output;
// it is killed when its last caller leaves. Source of the protocol: client.authentication.k8s.io/v1 ExecCredential.
import { execFile } from 'node:child_process'
import { type Clock, deadline } from '../base/clock.ts'
import type { CredentialSource, Credentials } from './connection.ts'
import { ConnectionError } from './connection-error.ts'
import { type IssuedCredentials, parseExecCredential, pluginInput, type ReadCluster } from './exec-credential.ts'
import type { PluginEntry } from './kube-config.ts'
import { SharedRunner } from './shared-runner.ts'

const limitMs = 60_000
const maxOutputBytes = 1024 * 1024

export interface PluginLoaderOptions {
  readonly clock: Clock
  readonly plugin: PluginEntry
  readonly cluster: ReadCluster
  /** Environment of the program. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

export class PluginLoader implements CredentialSource {
  readonly #clock: Clock
  readonly #plugin: PluginEntry
  readonly #environment: Readonly<Record<string, string | undefined>>
  readonly #runs = new SharedRunner<IssuedCredentials>()
  #current: IssuedCredentials | undefined

  constructor({ clock, plugin, cluster, environment }: PluginLoaderOptions) {
    this.#clock = clock
    this.#plugin = plugin
    this.#environment = { ...environment, ...plugin.environment, KUBERNETES_EXEC_INFO: pluginInput(plugin, cluster) }
  }

  async credentials(signal: AbortSignal): Promise<Credentials> {
    const current = this.#current
    if (current !== undefined && this.#clock.now() < current.expiresAtMs) return current.credentials
    const issued = await this.#runs.run((abandoned) => this.#run(abandoned), signal)
    this.#current = issued
    return issued.credentials
  }

  refuse(credentials: Credentials): void {
    if (credentials === this.#current?.credentials) this.#current = undefined
  }

  async #run(signal: AbortSignal): Promise<IssuedCredentials> {
    const { command, needsTerminal } = this.#plugin
    if (needsTerminal) {
      throw new ConnectionError(
        'PluginFailed',
        `the credential plugin ${command} wants a terminal (interactiveMode: Always) and there is none; log in with another method`,
      )
    }
    const limit = deadline(this.#clock, limitMs, signal)
    try {
      return parseExecCredential(this.#plugin, await this.#output(limit.signal))
    } catch (thrown) {
      if (!limit.hasPassed()) throw thrown
      throw new ConnectionError(
        'PluginFailed',
        `the credential plugin ${command} gave no credentials within ${limitMs / 1000} s and was killed; run it by hand to see what it waits for`,
      )
    } finally {
      limit.clear()
    }
  }

  #output(signal: AbortSignal): Promise<string> {
    const { command, arguments: programArguments } = this.#plugin
    return new Promise((resolve, reject) => {
      const options = {
        // Node leaves out variables whose value is undefined; its type for the environment is the same record.
        env: this.#environment as NodeJS.ProcessEnv,
        maxBuffer: maxOutputBytes,
        killSignal: 'SIGKILL',
        encoding: 'utf8',
        signal,
      } as const
      const child = execFile(command, [...programArguments], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout)
        else reject(this.#failure(error, stderr))
      })
      // A program that asks a question must not wait for an answer that cannot come.
      child.stdin?.on('error', () => {})
      child.stdin?.end()
    })
  }

  /** Omits the cause: it holds the command line, which may hold a secret (I11). */
  #failure({ code }: Error & { readonly code?: unknown }, stderr: string): ConnectionError {
    const { command, installHint } = this.#plugin
    const plugin = `the credential plugin ${command}`
    if (code === 'ENOENT') {
      const hint = installHint === undefined ? 'install it, or put it on PATH' : installHint.trim()
      return new ConnectionError('PluginMissing', `${plugin} was not found: ${hint}`)
    }
    if (code === 'EACCES') return new ConnectionError('PluginMissing', `${plugin} may not be run; make it executable`)
    const lastWords = stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
    const said = lastWords === '' ? '' : ` and said "${lastWords}"`
    return new ConnectionError('PluginFailed', `${plugin} ${endOf(code)}${said}; run it by hand to see why`)
  }
}

function endOf(code: unknown): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'wrote more than 1 MiB'
  return typeof code === 'number' ? `exited with code ${code}` : 'was killed'
}
