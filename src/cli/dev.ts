// Shows the operator at work: a control plane, the operator, samples, a live table until all are Ready, and then what to try.
// However this process ends, nothing stays behind but what was asked to stay.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { deadline, sleep, systemClock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { silentInstruments } from '../base/instrument.ts'
import { loadConnection } from '../kube/kube-config-loader.ts'
import { RestClient } from '../kube/rest-client.ts'
import type { KubeObject } from '../object/object.ts'
import { CommandError } from './command-error.ts'
import { loadDefinitions } from './definition-loader.ts'
import { startEmbeddedStage } from './dev/embedded-stage.ts'
import { interest } from './dev/interest.ts'
import { lookAround } from './dev/look-around.ts'
import { type ListedResource, type ResourceRow, rowOf, shownKinds } from './dev/resource-table.ts'
import { sampleFiles, sampleObjects } from './dev/sample-stores.ts'
import type { RunningOperator, Stage, StageAsk } from './dev/stage.ts'
import { type Output, TableScreen } from './dev/table-screen.ts'
import { installInto } from './install-applier.ts'
import { loadManifests } from './manifest-loader.ts'
import { packageFolder, packageVersion } from './package-folder.ts'

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
const closeLimitMs = 500

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
  const samples = options.samples && stage.isFresh ? await loadSamples(signal) : []
  await installInto({ ...toStage, definitions: [], manifests: samples }, signal)
  const applied = samples.length > 0 ? ', and samples have been applied' : ''
  say(options, `konverge: the operator runs${applied} (${elapsed()})\n`)
  await watchResources({ options, stage, operator, elapsed }, signal)
}

interface Show {
  readonly options: DevOptions
  readonly stage: Stage
  readonly operator: RunningOperator
  readonly elapsed: () => string
}

async function watchResources({ options, stage, operator, elapsed }: Show, signal: AbortSignal): Promise<void> {
  const screen = new TableScreen(options.output)
  const liveUntilMs = systemClock.monotonicMs() + readyLimitMs
  let isLive = true
  for await (const rows of resourcesFromNowOn(stage, operator, signal)) {
    if (isLive) screen.draw(rows, systemClock.now())
    else screen.add(rows, systemClock.now())
    const areReady = rows.every(({ isReady }) => isReady)
    if (!isLive || (!areReady && systemClock.monotonicMs() < liveUntilMs)) continue
    isLive = false
    const which = rows.length === 0 ? 'There are no resources yet' : areReady ? 'All are Ready' : 'Not all are Ready'
    say(options, `\n${which} after ${elapsed()}.`)
    const metricsUrl = (await operator.metricsUrl()) ?? 'not served yet'
    say(options, lookAround({ ...stage, metricsUrl, operatorLog: operator.logFile }))
  }
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

async function loadSamples(signal: AbortSignal): Promise<readonly KubeObject[]> {
  const paths = sampleFiles.map((file) => join(packageFolder(), 'examples', file))
  const examples = await Promise.all(paths.map((path) => loadManifests(path, signal)))
  // Sound: as above.
  return [...sampleObjects, ...(examples.flat() as unknown as readonly KubeObject[])]
}

/** All resources of the operator, by kind, namespace and name, again and again. Throws if what it looks at has ended or the signal aborts. */
async function* resourcesFromNowOn(
  stage: Stage,
  operator: RunningOperator,
  signal: AbortSignal,
): AsyncGenerator<readonly ResourceRow[]> {
  const source = { kind: 'files', paths: [stage.kubeconfigPath] } as const
  const connection = await loadConnection({ clock: systemClock, source, environment: {} }, signal)
  const userAgent = `konverge-dev/${packageVersion()}`
  const client = new RestClient({ connection, clock: systemClock, instruments: silentInstruments, userAgent })
  try {
    for (;;) {
      await operator.throwIfEnded()
      stage.throwIfEnded()
      const rows = shownKinds.map(async (kind) => {
        const { items } = await client.list(kind.resource, {}, signal)
        return items.map((item) => rowOf(kind, item as unknown as ListedResource)) // By the schemas in crds/.
      })
      const all = await Promise.all(rows)
      signal.throwIfAborted() // What is written after that belongs below the table, not into it.
      yield all.flat()
      await sleep(systemClock, pollMs, signal)
    }
  } finally {
    const limit = deadline(systemClock, closeLimitMs, new AbortController().signal)
    await client.close(limit.signal)
    limit.clear()
  }
}

function say({ output }: DevOptions, text: string): void {
  output.write(`${text}\n`)
}
