// Local node of `konverge dev`, in this process. PostgreSQL and konverge run as processes of this machine; all other
// images are simulated.
import { closeSync, realpathSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { deadline, systemClock } from '../../base/clock.ts'
import { messageOf } from '../../base/errors.ts'
import { silentInstruments } from '../../base/instrument.ts'
import { systemRandom } from '../../base/random.ts'
import { findTools } from '../../controllers/engines/postgres/logical/tool-loader.ts'
import { loadConnection } from '../../kube/kube-config-loader.ts'
import { RestClient } from '../../kube/rest-client.ts'
import type { ImageEntry, ImageTable } from '../../local-node/images.ts'
import { konvergeImage, postgresImage } from '../../local-node/known-images.ts'
import { loadMachine } from '../../local-node/machine-loader.ts'
import { NodeRunner } from '../../local-node/node-runner.ts'
import { createLogger } from '../../telemetry/logger.ts'
import { CommandError } from '../command-error.ts'
import { packageVersion } from '../package-folder.ts'
import { openPrivate } from '../private-file.ts'
import { toolPlaces } from '../tool-places.ts'
import { isOpenToAll, machinePostgres } from './machine-postgres.ts'
import { nodeFolder } from './node-folder.ts'
import { shownPostgres } from './shown-postgres.ts'
import type { DatabasesHere } from './stage.ts'

export interface NodeHereOptions {
  readonly kubeconfigPath: string
  /** Folder of its pods, volumes and log. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** PEM certificate with which the API server authenticates to the node to read logs. */
  readonly logReader: string
}

interface Reached {
  readonly client: RestClient
  readonly server: string
  /** Major versions of pg_dump on this machine. */
  readonly tools: readonly number[]
}

const closeLimitMs = 500

export class NodeHere {
  readonly databases: DatabasesHere
  readonly #stop = new AbortController()
  readonly #client: RestClient
  readonly #run: Promise<void>
  readonly #log: number
  #ending: string | undefined

  static async start(options: NodeHereOptions, signal: AbortSignal): Promise<NodeHere> {
    const source = { kind: 'files', paths: [options.kubeconfigPath] } as const
    const connection = await loadConnection({ clock: systemClock, source, environment: {} }, signal)
    const userAgent = `konverge-node/${packageVersion()}`
    const instruments = silentInstruments
    const client = new RestClient({ connection, clock: systemClock, instruments, userAgent })
    // The workers of the node search the same places.
    const tools = await findTools('pg_dump', toolPlaces(options.environment), signal)
    const majors = tools.map(({ majorVersion }) => majorVersion)
    return new NodeHere(options, { client, server: connection.server, tools: majors })
  }

  private constructor({ folder, environment, logReader }: NodeHereOptions, { client, server, tools }: Reached) {
    this.#client = client
    const { image: postgres, majors } = postgresHere(folder)
    const shown = shownPostgres(majors, tools)
    this.databases =
      postgres.refusal === undefined ? { kind: 'run', shown } : { kind: 'missing', message: postgres.refusal, shown }
    const file = openPrivate(join(folder, 'node.log'), 'w')
    this.#log = file
    const log = createLogger({
      clock: systemClock,
      level: 'info',
      destination: { write: (text) => writeSync(file, text) },
    })
    const node = new NodeRunner({
      clock: systemClock,
      random: systemRandom,
      instruments: { ...silentInstruments, log },
      client,
      name: 'local',
      folder: nodeFolder(folder),
      machine: loadMachine(),
      images: imagesHere(server, postgres),
      version: packageVersion(),
      server,
      machineEnvironment: { PATH: environment['PATH'] ?? '' },
      logReader,
    })
    this.#run = node.run(this.#stop.signal).then(
      () => this.#end('without an error'),
      (thrown: unknown) => this.#end(messageOf(thrown)),
    )
  }

  /** Throws a CommandError with one sentence if the node has ended unexpectedly. */
  throwIfEnded(): void {
    if (this.#ending !== undefined) throw new CommandError(`The local node ended by itself (${this.#ending})`, 1)
  }

  async stop(): Promise<void> {
    this.#stop.abort(new DOMException('konverge dev ends', 'AbortError'))
    await this.#run
    const limit = deadline(systemClock, closeLimitMs, new AbortController().signal)
    await this.#client.close(limit.signal)
    limit.clear()
    closeSync(this.#log)
  }

  #end(ending: string): void {
    this.#ending = ending
  }
}

/** Returns PostgreSQL's image. As root, PostgreSQL runs as another user, who needs access to its files. */
function postgresHere(folder: string): { readonly image: ImageEntry; readonly majors: readonly number[] } {
  const machine = machinePostgres()
  const image = postgresImage(machine)
  const majors = machine.versions.map(({ major }) => major)
  if (image.refusal !== undefined || !machine.isRoot || isOpenToAll(realpathSync(folder))) return { image, majors }
  const refusal = `PostgreSQL does not run as root, and nobody else gets into ${folder}; choose a folder that is open to all (chmod o+x), or start as another user`
  return { image: { ...image, refusal }, majors }
}

function imagesHere(server: string, postgres: ImageEntry): ImageTable {
  const cliPath = process.argv[1] ?? ''
  return [
    konvergeImage({ execPath: process.execPath, cliPath, server }),
    postgres,
    // Exists to show the status of a store whose image cannot be pulled.
    { repositories: ['kv'], entrypoint: [], isMissing: true },
  ]
}
