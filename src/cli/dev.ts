// Shows the operator at work: a control plane, the operator, samples, a live table until all are Ready, and then what to try.
// However this process ends, nothing stays behind but what was asked to stay.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sleep, systemClock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { KubeObject } from '../object/object.ts'
import { CommandError } from './command-error.ts'
import { loadDefinitions } from './definition-loader.ts'
import { startEmbeddedStage } from './dev/embedded-stage.ts'
import { interest } from './dev/interest.ts'
import { lookAround } from './dev/look-around.ts'
import { ResourceLoader } from './dev/resource-loader.ts'
import type { ResourceRow } from './dev/resource-table.ts'
import { sampleDatabase, sampleDatabases, sampleFiles, sampleStores } from './dev/sample-objects.ts'
import type { RunningOperator, Stage, StageAsk } from './dev/stage.ts'
import { type Output, TableScreen } from './dev/table-screen.ts'
import { installInto } from './install-applier.ts'
import { loadManifests } from './manifest-loader.ts'
import { packageFolder } from './package-folder.ts'

export interface DevOptions {
  readonly controlPlane: string
  readonly samples: boolean
  readonly port?: number
  readonly kubeconfig?: string
  readonly persist?: string
  readonly repair?: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly output: Output
}

const pollMs = 250
/** From when the samples are applied; seconds are usual. After this the person is told how to look for what is wrong. */
const readyLimitMs = 180_000

/** Resolves when nobody wants it any more; rejects if something fails. By then all that it started has been stopped. */
export async function dev(options: DevOptions): Promise<void> {
  check(options)
  using wanted = interest(() => say(options, '\nkonverge: stopping …'))
  try {
    await show(options, wanted.signal)
  } catch (thrown) {
    if (wanted.signal.aborted) return
    // The real control plane's failures are sentences, thrown by code that is not part of this program.
    throw options.controlPlane === 'real' ? new CommandError(messageOf(thrown), 1) : thrown
  }
}

function check({ controlPlane, port, kubeconfig, persist, repair }: DevOptions): void {
  if (controlPlane !== 'embedded' && controlPlane !== 'real')
    throw new CommandError(`--control-plane: '${controlPlane}' is none; choose embedded or real`, 2)
  const own = Object.entries({ port, kubeconfig, persist, repair }).find(([, value]) => value !== undefined)
  if (controlPlane === 'real' && own !== undefined)
    throw new CommandError(`--${own[0]}: the real control plane has its own; leave one of the two out`, 2)
}

/** Ends only by rejecting. */
async function show(options: DevOptions, signal: AbortSignal): Promise<void> {
  const startedMs = systemClock.monotonicMs()
  const elapsed = () => `${((systemClock.monotonicMs() - startedMs) / 1000).toFixed(1)} s`
  await using started = new AsyncDisposableStack()
  const stage = await startStage(options, signal)
  started.defer(() => stage.stop())
  signal.throwIfAborted()
  say(options, `konverge: ${stage.title} (${elapsed()})`)

  const toStage = { environment: {}, kubeconfig: stage.kubeconfigPath, write: () => {} }
  // Sound: loadManifests returns only objects with apiVersion and kind; the API server asks for the rest.
  const definitions = (await loadDefinitions(signal)) as unknown as readonly KubeObject[]
  await installInto({ ...toStage, definitions, manifests: stage.groundwork }, signal)
  const operator = stage.startOperator()
  started.defer(() => operator.stop())
  const samples = options.samples && stage.isFresh ? await loadSamples(stage, signal) : []
  await installInto({ ...toStage, definitions: [], manifests: samples }, signal)
  const applied = samples.length > 0 ? ', and samples have been applied' : ''
  say(options, `konverge: the operator runs${applied} (${elapsed()})\n`)
  const loader = await ResourceLoader.open(stage.kubeconfigPath, signal)
  started.defer(() => loader.close())
  await watchResources({ options, stage, operator, loader, elapsed }, signal)
}

interface Show {
  readonly options: DevOptions
  readonly stage: Stage
  readonly operator: RunningOperator
  readonly loader: ResourceLoader
  readonly elapsed: () => string
}

async function watchResources(show: Show, signal: AbortSignal): Promise<void> {
  const { options, stage, operator, loader } = show
  const screen = new TableScreen(options.output)
  const liveUntilMs = systemClock.monotonicMs() + readyLimitMs
  for (let isLive = true; ; await sleep(systemClock, pollMs, signal)) {
    await operator.throwIfEnded()
    stage.throwIfEnded()
    const rows = await loader.rows(signal)
    signal.throwIfAborted() // What is written after that belongs below the table, not into it.
    if (isLive) screen.draw(rows, systemClock.now())
    else screen.add(rows, systemClock.now())
    const awaited = stage.databases.kind === 'missing' ? rows.filter(({ kind }) => kind === 'kv') : rows
    const areReady = awaited.every(({ isReady }) => isReady)
    if (!isLive) continue
    const databaseAddress = areReady ? await loader.addressOf(sampleDatabase.service, signal) : undefined
    // Of a cluster that was kept, everything says that it is Ready before its programs have been started again.
    const isServed = databaseAddress !== undefined || !awaited.some(({ resource }) => resource === sampleDatabase.row)
    if (!(areReady && isServed) && systemClock.monotonicMs() < liveUntilMs) continue
    isLive = false
    await sayWhatToTry(show, { rows, areReady, databaseAddress })
  }
}

interface Shown {
  readonly rows: readonly ResourceRow[]
  readonly areReady: boolean
  readonly databaseAddress: string | undefined
}

async function sayWhatToTry(show: Show, { rows, areReady, databaseAddress }: Shown): Promise<void> {
  const { options, stage, operator, elapsed } = show
  const { databases } = stage
  const all = databases.kind === 'missing' ? 'All but the databases are Ready' : 'All are Ready'
  const which = rows.length === 0 ? 'There are no resources yet' : areReady ? all : 'Not all are Ready'
  say(options, `\n${which} after ${elapsed()}.`)
  if (databases.kind === 'missing') say(options, `Databases wait: ${databases.message}.`)
  else if (databases.kind === 'run' && databases.shown.whyNoBackup !== undefined)
    say(options, `There is no backup among the samples: ${databases.shown.whyNoBackup}.`)
  if (databases.kind === 'simulated')
    say(options, 'There is no database among the samples: pods only seem to run here.')
  const metricsUrl = (await operator.metricsUrl()) ?? 'not served yet'
  say(
    options,
    lookAround({
      ...stage,
      hasStore: rows.some(({ resource }) => resource === 'kv shop/cart'),
      metricsUrl,
      databaseAddress,
      operatorLog: operator.logFile,
    }),
  )
}

async function startStage(options: DevOptions, signal: AbortSignal): Promise<Stage> {
  const ask: StageAsk = { environment: options.environment, signal }
  if (options.controlPlane === 'embedded') return startEmbeddedStage({ ...options, port: options.port ?? 0 }, ask)
  const path = join(packageFolder(), 'test', 'control-plane', 'real-stage.ts')
  if (!existsSync(path))
    throw new CommandError(
      '--control-plane: the real one needs a checkout of konverge; this package has the embedded one',
      2,
    )
  say(options, 'konverge: starting a Kubernetes control plane …')
  // Our own file, which a package does not have.
  const { startRealStage } = (await import(pathToFileURL(path).href)) as {
    readonly startRealStage: (ask: StageAsk) => Promise<Stage>
  }
  return startRealStage(ask)
}

async function loadSamples({ databases }: Stage, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const paths = sampleFiles.map((file) => join(packageFolder(), 'examples', file))
  const examples = await Promise.all(paths.map((path) => loadManifests(path, signal)))
  // Sound: as above.
  const stores = [...sampleStores, ...(examples.flat() as unknown as readonly KubeObject[])]
  if (databases.kind === 'simulated') return stores
  return [...stores, ...sampleDatabases(databases.shown)]
}

function say({ output }: DevOptions, text: string): void {
  output.write(`${text}\n`)
}
