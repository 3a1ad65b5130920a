// Show of `konverge dev`: konverge's own operator with stores and databases. It runs on the embedded control plane with
// this machine as a node, or on the real one.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { messageOf } from '../../base/errors.ts'
import { makeFolder, passageMode } from '../../local-node/private-folder-provisioner.ts'
import type { KubeObject } from '../../object/object.ts'
import { CommandError } from '../command-error.ts'
import { localControllers } from '../flagship.ts'
import { konverge } from '../konverge-program.ts'
import { loadManifests } from '../manifest-loader.ts'
import { packageFolder } from '../package-folder.ts'
import { userAgentOf } from '../program.ts'
import { databaseHints } from './database-hints.ts'
import { type EmbeddedStageOptions, startEmbeddedStage } from './embedded-stage.ts'
import { nodeFolder } from './node-folder.ts'
import { NodeHere } from './node-here.ts'
import { shownKinds } from './own-kinds.ts'
import type { Hint, Play } from './play.ts'
import type { ResourceLoader } from './resource-loader.ts'
import type { ResourceRow } from './resource-table.ts'
import { fastClass, sampleDatabase, sampleDatabases, sampleFiles, sampleStores } from './sample-objects.ts'
import type { DatabaseStage, DatabasesHere, StageAsk } from './stage.ts'

export interface FlagshipPlayOptions extends EmbeddedStageOptions {
  readonly controlPlane: string
}

export function flagshipPlay(options: FlagshipPlayOptions): Play {
  check(options)
  const isReal = options.controlPlane === 'real'
  return {
    kinds: shownKinds,
    start: async (ask) => {
      const stage = isReal ? await startRealStage(ask) : await startStageHere(options, ask)
      return {
        stage,
        loadSamples: (signal) => loadSamples(stage.databases, signal),
        look: (rows, loader, signal) => look(stage.databases, { rows, loader }, signal),
      }
    },
    // Failures of the real control plane are sentences, thrown by code outside this program.
    failureOf: (thrown) => (isReal ? new CommandError(messageOf(thrown), 1) : thrown),
  }
}

function check({ controlPlane, port, kubeconfig, persist, repair }: FlagshipPlayOptions): void {
  if (controlPlane !== 'embedded' && controlPlane !== 'real')
    throw new CommandError(`--control-plane: '${controlPlane}' is none; choose embedded or real`, 2)
  const own = Object.entries({ port, kubeconfig, persist, repair }).find(([, value]) => value !== undefined)
  if (controlPlane === 'real' && own !== undefined)
    throw new CommandError(`--${own[0]}: the real control plane has its own; leave one of the two out`, 2)
}

async function startStageHere(options: FlagshipPlayOptions, { environment, signal }: StageAsk): Promise<DatabaseStage> {
  let databases: DatabasesHere = { kind: 'simulated' }
  const stage = await startEmbeddedStage(options, {
    title: 'the embedded control plane runs, with this machine as its node',
    nodes: {
      kind: 'here',
      start: async (place) => {
        await makeFolder(nodeFolder(place.folder), passageMode(process.getuid?.()))
        const node = await NodeHere.start({ ...place, environment }, signal)
        databases = node.databases
        return node
      },
    },
    groundwork: [fastClass],
    operator: { name: konverge.name, userAgent: userAgentOf(konverge), controllers: localControllers },
  })
  return { ...stage, databases }
}

async function startRealStage(ask: StageAsk): Promise<DatabaseStage> {
  const path = join(packageFolder(), 'test', 'control-plane', 'real-stage.ts')
  if (!existsSync(path))
    throw new CommandError(
      '--control-plane: the real one needs a checkout of konverge; this package has the embedded one',
      2,
    )
  ask.tell('starting a Kubernetes control plane …')
  // Sound: the file is part of this repository. A published package does not contain it.
  const { startRealStage: start } = (await import(pathToFileURL(path).href)) as {
    readonly startRealStage: (ask: StageAsk) => Promise<DatabaseStage>
  }
  return start(ask)
}

async function loadSamples(databases: DatabasesHere, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const paths = sampleFiles.map((file) => join(packageFolder(), 'examples', file))
  const examples = await Promise.all(paths.map((path) => loadManifests(path, signal)))
  // Sound: loadManifests returns only objects with apiVersion and kind; the API server asks for the rest.
  const stores = [...sampleStores, ...(examples.flat() as unknown as readonly KubeObject[])]
  if (databases.kind === 'simulated') return stores
  return [...stores, ...sampleDatabases(databases.shown)]
}

async function look(
  databases: DatabasesHere,
  { rows, loader }: { readonly rows: readonly ResourceRow[]; readonly loader: ResourceLoader },
  signal: AbortSignal,
): Promise<Hint> {
  const areMissing = databases.kind === 'missing'
  const awaited = areMissing ? rows.filter(({ kind }) => kind === 'kv') : rows
  const areReady = awaited.every(({ isReady }) => isReady)
  const databaseAddress = areReady ? await loader.addressOf(sampleDatabase.service, signal) : undefined
  // In a persisted cluster, all conditions are Ready before the local node has restarted the programs.
  const isServed = databaseAddress !== undefined || !awaited.some(({ resource }) => resource === sampleDatabase.row)
  return {
    areReady,
    isWhole: areReady && isServed,
    readyText: areMissing ? 'All but the databases are Ready' : 'All are Ready',
    notes: notesOn(databases),
    hints: databaseHints({ hasStore: rows.some(({ resource }) => resource === 'kv shop/cart'), databaseAddress }),
  }
}

function notesOn(databases: DatabasesHere): readonly string[] {
  switch (databases.kind) {
    case 'missing':
      return [`Databases wait: ${databases.message}.`]
    case 'simulated':
      return ['There is no database among the samples: pods only seem to run here.']
    case 'run': {
      const { whyNoBackup } = databases.shown
      return whyNoBackup === undefined ? [] : [`There is no backup among the samples: ${whyNoBackup}.`]
    }
  }
}
