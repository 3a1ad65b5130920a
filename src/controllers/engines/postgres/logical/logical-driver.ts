// Dumps and restores a whole PostgreSQL database, with the pg_dump and pg_restore of this machine. A session beside
// them reads the contents of the same snapshot.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ExternalTools, sleep } from '../../../../index.ts'
import { nameOf } from '../../contents-difference.ts'
import type { DatabaseContents, SequenceContents } from '../../database-contents.ts'
import type {
  ArtifactCall,
  ContentsOptions,
  DumpOptions,
  DumpRun,
  FrozenDatabase,
  LogicalCall,
  LogicalEngine,
  RestoreCall,
  TableSize,
} from '../../logical-engine.ts'
import { LogicalError } from '../../logical-error.ts'
import type { LogicalTool } from '../../logical-tool.ts'
import type { PublicRights } from '../../public-rights.ts'
import { analyze } from './analysis-client.ts'
import { environmentOf, placeOf } from './environment-loader.ts'
import { FrozenSession } from './frozen-session-client.ts'
import { databaseArgument } from './libpq-environment.ts'
import { privilegesList, restoreList } from './restore-list.ts'
import { isOfNewerSettingAlone } from './tool-complaint.ts'
import { loadTool, type ToolPlaces } from './tool-loader.ts'
import { runTool, streamOf } from './tool-runner.ts'

export interface PostgresLogicalOptions {
  readonly clock: ExternalTools['clock']
  readonly places: ToolPlaces
  /** Folder for files of this process. Files that a crash leaves in it are not needed. */
  readonly workFolder: string
}

export function postgresLogicalEngine(options: PostgresLogicalOptions): LogicalEngine {
  return {
    freeze: async (call) => new Frozen(call, await FrozenSession.begin(call, options.clock), options),
    restore: async (call) => {
      const tool = await loadTool('pg_restore', call.writtenBy, options.places, call.signal)
      await inFolder(options.workFolder, (folder) => restore(call, tool, folder))
    },
    analyze: (call) => analyze(call, options.clock),
    restorePrivileges: async (call) => {
      const tool = await loadTool('pg_restore', call.writtenBy, options.places, call.signal)
      await inFolder(options.workFolder, (folder) => restorePrivileges(call, tool, folder))
    },
  }
}

class Frozen implements FrozenDatabase {
  readonly source: FrozenDatabase['source']
  readonly from: FrozenDatabase['from']
  readonly #call: LogicalCall
  readonly #session: FrozenSession
  readonly #options: PostgresLogicalOptions
  readonly #catalog: ReturnType<FrozenSession['catalog']>
  /** Positions of sequences after pg_dump had read them. */
  readonly #later = new Map<string, SequenceContents>()
  readonly #tool = new AbortController()
  #content: AsyncIterator<Uint8Array> | undefined

  constructor(call: LogicalCall, session: FrozenSession, options: PostgresLogicalOptions) {
    this.source = session.source
    this.from = session.from
    this.#call = call
    this.#session = session
    this.#options = options
    this.#catalog = session.catalog()
    this.#catalog.catch(() => undefined) // Each reader of the catalog gets the error.
  }

  async sizes(): Promise<readonly TableSize[]> {
    return (await this.#catalog).tables ?? []
  }

  async contents(options: ContentsOptions): Promise<DatabaseContents> {
    const catalog = await this.#catalog
    const sequences = (catalog.sequences ?? []).map((before) => earlierOf(before, this.#later.get(nameOf(before))))
    return this.#session.contents({ ...catalog, sequences }, options)
  }

  async publicRights(): Promise<PublicRights> {
    await this.#catalog
    return this.#session.publicRights()
  }

  async dump(options: DumpOptions): Promise<DumpRun> {
    const tool = await loadTool('pg_dump', this.source.majorVersion, this.#options.places, this.#call.signal)
    // The session must read the sequences before pg_dump does.
    await this.#catalog
    if (options.includes !== 'schemaWithPrivileges') await this.#session.keepTables()
    const content = this.#dump(tool, options)[Symbol.asyncIterator]()
    this.#content = content
    const first = await this.#untilRead(content.next())
    await this.#session.expectUnchanged('definitions')
    for (const sequence of await this.#session.sequences()) this.#later.set(nameOf(sequence), sequence)
    return { toolVersion: tool.version, content: rejoined(first, content) }
  }

  async confirm(): Promise<void> {
    await this.#session.expectUnchanged('rowTypes')
  }

  async release(): Promise<void> {
    this.#tool.abort(new Error('The snapshot is released.'))
    await this.#content?.return?.().catch(() => undefined)
    await this.#session.end()
  }

  /**
   * Waits for pg_dump's first output, which it writes after it has read all definitions. Throws CatalogChanged if
   * pg_dump fails because definitions have changed. pg_dump may wait indefinitely for a client that waits for this
   * session: the server detects no deadlock there.
   */
  async #untilRead(first: Promise<IteratorResult<Uint8Array>>): Promise<IteratorResult<Uint8Array>> {
    const over = new AbortController()
    first.catch(() => undefined).finally(() => over.abort())
    let waits = 0
    while (!over.signal.aborted && waits < maxWaits) {
      await sleep(this.#options.clock, waitMs, over.signal).catch(() => undefined)
      if (!over.signal.aborted) waits = (await this.#session.isToolWaiting()) ? waits + 1 : 0
    }
    if (!over.signal.aborted) this.#tool.abort(toolWaits(this.#call))
    try {
      return await first
    } catch (error) {
      this.#call.signal.throwIfAborted()
      await this.#session.expectUnchanged('definitions')
      throw error
    }
  }

  async *#dump(
    { folder: programs }: LogicalTool,
    { compression, includes = 'contents', withoutRows = [] }: DumpOptions,
  ): AsyncIterable<Uint8Array> {
    const signal = AbortSignal.any([this.#call.signal, this.#tool.signal])
    const folder = await mkdtemp(join(this.#options.workFolder, 'dump-'))
    try {
      const environment = await environmentOf(this.#call, folder)
      const snapshot = `--snapshot=${this.#session.snapshot}`
      const parts = [...dumpArguments, ...included[includes]]
      const empty = withoutRows.map((name) => `--exclude-table-data=${tablePattern(name)}`)
      const packing = compression === undefined ? [] : [`--compress=${compression}`]
      const args = [...parts, ...empty, ...packing, snapshot]
      yield* streamOf({ program: 'pg_dump', folder: programs, args, environment, about: placeOf(this.#call), signal })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** Consecutive observations after which pg_dump counts as waiting for a lock. */
const maxWaits = 6
const waitMs = 500

function toolWaits(call: LogicalCall): LogicalError {
  const message = `pg_dump on ${placeOf(call)} waited for a lock of somebody who changes definitions; let the change end`
  return new LogicalError({ code: 'CatalogChanged', message, remedy: 'retry' })
}

async function* rejoined(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncIterable<Uint8Array> {
  try {
    for (let item = first; item.done !== true; item = await rest.next()) yield item.value
  } finally {
    await rest.return?.()
  }
}

/**
 * Returns the earlier of two positions. pg_dump read the sequence between the two observations. Its position is
 * therefore not behind the earlier one, unless a client reset the sequence in between and it advanced again. Null: a
 * client may have reset it to its start.
 */
function earlierOf(before: SequenceContents, after: SequenceContents | undefined): SequenceContents {
  if (after === undefined || before.lastValue === null) return before
  if (after.lastValue === null) return after
  const isBehind = BigInt(after.lastValue) < BigInt(before.lastValue)
  return isBehind === BigInt(before.increment) > 0n ? after : before
}

/** In quotes, no character of a name is a wildcard. */
function tablePattern(name: string): string {
  return name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')
}

async function inFolder(parent: string, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(parent, 'restore-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const dumpArguments = [
  '--format=custom',
  '--no-password',
  '--no-owner',
  '--no-subscriptions',
  '--no-publications',
  '--no-security-labels',
  '--lock-wait-timeout=1000',
]

const included = {
  contents: ['--no-privileges'],
  withPrivileges: [],
  schemaWithPrivileges: ['--schema-only'],
} as const

async function restore(call: RestoreCall, tool: LogicalTool, folder: string): Promise<void> {
  const { owner, prepared, jobs = 1 } = call
  const role = owner === undefined ? [] : [`--role=${owner}`]
  await restoreEntries({ call, tool, folder, jobs }, (printed) => restoreList(printed, prepared), [
    ...restoreArguments,
    ...role,
  ])
}

async function restorePrivileges(call: ArtifactCall, tool: LogicalTool, folder: string): Promise<void> {
  await restoreEntries({ call, tool, folder, jobs: 1 }, privilegesList, privilegesArguments)
}

interface Restoring {
  readonly call: ArtifactCall
  readonly tool: LogicalTool
  readonly folder: string
  readonly jobs: number
}

async function restoreEntries(
  { call, tool, folder, jobs }: Restoring,
  choose: (printed: string) => string,
  args: readonly string[],
): Promise<void> {
  const { artifactFile, signal, database } = call
  const environment = await environmentOf(call, folder)
  const run = { program: 'pg_restore', folder: tool.folder, environment, about: placeOf(call), signal } as const
  const listFile = join(folder, 'list')
  await writeFile(listFile, choose(await runTool({ ...run, args: ['--list', artifactFile] })))
  const what = [...args, `--use-list=${listFile}`, databaseArgument(database), artifactFile]
  const [parallel, whole] = jobs > 1 ? [[`--jobs=${jobs}`], []] : [[], ['--single-transaction']]
  try {
    await runTool({ ...run, args: ['--exit-on-error', ...whole, ...parallel, ...what] })
  } catch (error) {
    if (!(error instanceof LogicalError && error.code === 'VersionMismatch')) throw error
    // pg_restore ended at its first error and has changed nothing. The second run continues after that error; any other
    // error still fails it.
    const forgives = (printed: string) => isOfNewerSettingAlone(printed, jobs)
    await runTool({ ...run, args: [...parallel, ...what], forgives })
  }
}

const restoreArguments = ['--no-password', '--no-owner', '--no-privileges', '--no-tablespaces', '--no-security-labels']

const privilegesArguments = ['--no-password', '--no-owner', '--no-security-labels']
