// Local node for a test: in this process, against the control plane of the tests, with Node.js as an image. It stops
// with the test, also after a failure.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { systemClock } from '../../src/base/clock.ts'
import { type Instruments, type LogFields, silentInstruments } from '../../src/base/instrument.ts'
import { systemRandom } from '../../src/base/random.ts'
import { machinePostgres } from '../../src/cli/dev/machine-postgres.ts'
import { loadConnection } from '../../src/kube/kube-config-loader.ts'
import { RestClient } from '../../src/kube/rest-client.ts'
import type { ImageTable } from '../../src/local-node/images.ts'
import { konvergeImage, postgresImage } from '../../src/local-node/known-images.ts'
import { loadMachine } from '../../src/local-node/machine-loader.ts'
import { NodeRunner } from '../../src/local-node/node-runner.ts'
import { kubeletReaderFile } from '../control-plane/layout.ts'

/** `konverge-test/node` is the Node.js that runs the tests; its args are those of Node.js. */
export const testImages: ImageTable = [
  { repositories: ['konverge-test/node'], entrypoint: [process.execPath], runsOwnCommands: true },
  postgresImage(machinePostgres()),
]

/** The built program, because it starts workers. */
const cliPath = join(import.meta.dirname, '../../dist/src/cli/main.js')

export interface NodeHereOptions {
  readonly kubeconfigPath: string
  readonly name: string
  /** Default: a temporary folder, removed at the end. */
  readonly folder?: string
  /** Certificate with which the API server authenticates to read logs. Default: that beside the kubeconfig. */
  readonly logReader?: string
}

export class NodeHere {
  readonly folder: string
  readonly lines: string[] = []
  readonly node: NodeRunner
  readonly #stop = new AbortController()
  readonly #client: RestClient
  readonly #ownsFolder: boolean
  readonly #ended: Promise<void>

  static async start(options: NodeHereOptions): Promise<NodeHere> {
    const clock = systemClock
    const source = { kind: 'files', paths: [options.kubeconfigPath] } as const
    const connection = await loadConnection({ clock, source, environment: {} }, AbortSignal.timeout(120_000))
    const instruments = silentInstruments
    const client = new RestClient({ connection, clock, instruments, userAgent: 'konverge-node/test' })
    const logReader =
      options.logReader ?? readFileSync(join(dirname(options.kubeconfigPath), kubeletReaderFile), 'utf8')
    return new NodeHere({ ...options, logReader }, client, connection.server)
  }

  private constructor(options: NodeHereOptions & { readonly logReader: string }, client: RestClient, server: string) {
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), 'konverge-node-'))
    // Programs of other users need access to their volumes.
    chmodSync(this.folder, 0o711)
    this.#ownsFolder = options.folder === undefined
    this.#client = client
    this.node = new NodeRunner({
      clock: systemClock,
      random: systemRandom,
      instruments: this.#instruments(),
      client,
      name: options.name,
      folder: this.folder,
      machine: loadMachine(),
      images: [...testImages, konvergeImage({ execPath: process.execPath, cliPath, server })],
      version: 'test',
      server,
      machineEnvironment: { PATH: process.env['PATH'] ?? '' },
      logReader: options.logReader,
    })
    this.#ended = this.node.run(this.#stop.signal)
    // stop() handles the rejection.
    this.#ended.catch(() => {})
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the test stops the node'))
    await this.#ended
    await this.#client.close(AbortSignal.timeout(5_000))
    if (this.#ownsFolder) rmSync(this.folder, { recursive: true, force: true })
  }

  #instruments(): Instruments {
    const line = (fields: LogFields, message: string) => void this.lines.push(`${message} ${JSON.stringify(fields)}`)
    const log = { debug: line, info: line, warn: line, error: line, with: () => log }
    return { ...silentInstruments, log }
  }
}
