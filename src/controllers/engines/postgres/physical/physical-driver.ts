// Copies a PostgreSQL server and starts it from the copy, by pg_basebackup, pg_verifybackup and the server's program of
// this machine.
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExternalTools } from '../../../../index.ts'
import type { LogicalTool } from '../../logical-tool.ts'
import type {
  CopyRun,
  HeldServer,
  HoldCall,
  PhysicalEngine,
  ServerUser,
  WakeCall,
  WokenServer,
} from '../../physical-engine.ts'
import { environmentOf, placeOf } from '../logical/environment-loader.ts'
import { loadTool, type ToolPlaces } from '../logical/tool-loader.ts'
import { runTool, streamOf } from '../logical/tool-runner.ts'
import { HeldSession } from './held-session-client.ts'
import { WokenProcess } from './woken-process-runner.ts'

export interface PostgresPhysicalOptions {
  readonly clock: ExternalTools['clock']
  readonly places: ToolPlaces
  /** Folder for files of this process. */
  readonly workFolder: string
  /** User as which servers run. Undefined: as this process. */
  readonly user: ServerUser | undefined
}

export function postgresPhysicalEngine(options: PostgresPhysicalOptions): PhysicalEngine {
  return {
    hold: async (call) => new Held(call, await HeldSession.begin(call, options.clock), options),
    wake: (call) => wake(call, options),
  }
}

class Held implements HeldServer {
  readonly source: HeldServer['source']
  readonly sizeBytes: number
  readonly #call: HoldCall
  readonly #session: HeldSession
  readonly #options: PostgresPhysicalOptions

  constructor(call: HoldCall, session: HeldSession, options: PostgresPhysicalOptions) {
    this.source = session.source
    this.sizeBytes = session.sizeBytes
    this.#call = call
    this.#session = session
    this.#options = options
  }

  async copy(): Promise<CopyRun> {
    const { places } = this.#options
    const tool = await loadTool('pg_basebackup', this.source.majorVersion, places, this.#call.signal)
    return { toolVersion: tool.version, content: this.#copy(tool) }
  }

  async release(): Promise<void> {
    await this.#session.end()
  }

  async *#copy({ folder: programs }: LogicalTool): AsyncIterable<Uint8Array> {
    const { signal } = this.#call
    const folder = await mkdtemp(join(this.#options.workFolder, 'copy-'))
    try {
      const environment = await environmentOf(this.#call, folder)
      const about = `the server of ${placeOf(this.#call)}`
      yield* streamOf({
        ...{ program: 'pg_basebackup', folder: programs, args: copyArguments, environment, about, signal },
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** One tar file: data files, the WAL for recovery, and the manifest last. */
const copyArguments = [
  '--pgdata=-',
  '--format=tar',
  '--wal-method=fetch',
  '--checkpoint=fast',
  '--manifest-checksums=SHA256',
  '--label=konverge',
  '--no-password',
]

async function wake(call: WakeCall, { clock, places, user }: PostgresPhysicalOptions): Promise<WokenServer> {
  const { dataFolder, majorVersion, signal } = call
  const tool = await loadTool('postgres', majorVersion, places, signal)
  const checker = await loadTool('pg_verifybackup', majorVersion, places, signal)
  const environment = { LC_ALL: 'C', TZ: 'UTC' }
  const about = 'the copy of the server'
  // Verifies each file, and the WAL for recovery.
  await runTool({
    ...{ program: 'pg_verifybackup', folder: checker.folder, args: ['--exit-on-error', '--quiet', dataFolder] },
    ...{ environment, about, signal },
  })
  return WokenProcess.start(call, { clock, user, binFolder: tool.folder, environment })
}
