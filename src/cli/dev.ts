// Command `dev`: starts a control plane and the operator, applies samples, draws a live table until all resources are
// Ready, and then prints hints. Invariant: when the process ends, it leaves only what the user asked to keep.
import { sleep, systemClock } from '../base/clock.ts'
import { terminalText } from '../base/terminal-text.ts'
import type { KubeObject } from '../object/object.ts'
import { loadDefinitions } from './definition-loader.ts'
import { lookAround } from './dev/hints.ts'
import { interest } from './dev/interest.ts'
import type { Hint, Play, PlayedStage } from './dev/play.ts'
import { ResourceLoader } from './dev/resource-loader.ts'
import type { ResourceRow } from './dev/resource-table.ts'
import type { RunningOperator } from './dev/stage.ts'
import { type Output, TableScreen } from './dev/table-screen.ts'
import { installInto } from './install-applier.ts'
import { type OperatorCliOptions, userAgentOf } from './program.ts'

export interface DevOptions {
  readonly program: OperatorCliOptions
  readonly samples: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly output: Output
}

const pollMs = 250
/**
 * Limit from the apply of the samples until all are Ready; seconds are usual. Then `dev` prints how to find the fault.
 */
const readyLimitMs = 180_000

/** Resolves when `interest` ends; rejects if something fails. By then, everything that it started has stopped. */
export async function dev(options: DevOptions, play: Play): Promise<void> {
  using wanted = interest(() => say(options, `\n${options.program.name}: stopping …`))
  try {
    await show(options, play, wanted.signal)
  } catch (thrown) {
    if (wanted.signal.aborted) return
    throw play.failureOf?.(thrown) ?? thrown
  }
}

/** Never resolves; rejects when the signal aborts or something fails. */
async function show(options: DevOptions, play: Play, signal: AbortSignal): Promise<void> {
  const { program, environment } = options
  const tell = (text: string) => say(options, `${program.name}: ${text}`)
  const startedMs = systemClock.monotonicMs()
  const elapsed = () => `${((systemClock.monotonicMs() - startedMs) / 1000).toFixed(1)} s`
  await using started = new AsyncDisposableStack()
  const played = await play.start({ environment, signal, tell })
  const { stage } = played
  started.defer(() => stage.stop())
  signal.throwIfAborted()
  tell(`${stage.title} (${elapsed()})`)

  const as = { userAgent: userAgentOf(program), fieldManager: `${program.name}-install` }
  const toStage = { ...as, environment: {}, kubeconfig: stage.kubeconfigPath, write: () => {} }
  // Sound: loadDefinitions returns only objects with apiVersion and kind; the API server asks for the rest.
  const definitions = (await loadDefinitions(program, signal)) as unknown as readonly KubeObject[]
  await installInto({ ...toStage, definitions, manifests: stage.groundwork }, signal)
  const operator = stage.startOperator()
  started.defer(() => operator.stop())
  const samples = options.samples && stage.isFresh ? await played.loadSamples(signal) : []
  await installInto({ ...toStage, definitions: [], manifests: samples }, signal)
  const applied = samples.length > 0 ? ', and samples have been applied' : ''
  tell(`the operator runs${applied} (${elapsed()})\n`)
  const asker = { kubeconfigPath: stage.kubeconfigPath, kinds: play.kinds, userAgent: `${as.userAgent} (dev)` }
  const loader = await ResourceLoader.open(asker, signal)
  started.defer(() => loader.close())
  await watchResources({ options, play, played, operator, loader, elapsed }, signal)
}

interface Show {
  readonly options: DevOptions
  readonly play: Play
  readonly played: PlayedStage
  readonly operator: RunningOperator
  readonly loader: ResourceLoader
  readonly elapsed: () => string
}

async function watchResources(show: Show, signal: AbortSignal): Promise<void> {
  const { options, played, operator, loader } = show
  const screen = new TableScreen(options.output)
  const liveUntilMs = systemClock.monotonicMs() + readyLimitMs
  for (let isLive = true; ; await sleep(systemClock, pollMs, signal)) {
    await operator.throwIfEnded()
    played.stage.throwIfEnded()
    const rows = await loader.rows(signal)
    signal.throwIfAborted() // Later output belongs below the table, not into it.
    if (isLive) screen.draw(rows, systemClock.now())
    else screen.add(rows, systemClock.now())
    if (!isLive) continue
    const look = await played.look(rows, loader, signal)
    if (!look.isWhole && systemClock.monotonicMs() < liveUntilMs) continue
    isLive = false
    await sayWhatToTry(show, rows, look)
  }
}

async function sayWhatToTry(show: Show, rows: readonly ResourceRow[], look: Hint): Promise<void> {
  const { options, play, played, operator, elapsed } = show
  const { areReady, readyText, notes, hints } = look
  const which = rows.length === 0 ? 'There are no resources yet' : areReady ? readyText : 'Not all are Ready'
  say(options, `\n${which} after ${elapsed()}.`)
  for (const note of notes) say(options, note)
  const metricsUrl = (await operator.metricsUrl()) ?? 'not served yet'
  const kinds = play.kinds.map(({ shortName }) => shortName)
  say(options, lookAround({ ...played.stage, kinds, hints, metricsUrl, operatorLog: operator.logFile }))
}

function say({ output }: DevOptions, text: string): void {
  output.write(`${terminalText(text)}\n`)
}
