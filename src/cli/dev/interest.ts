// Until when does anybody want `konverge dev` to go on? Until a signal ends it, nobody reads its output any more, or the process that
// started it, as npm does by way of a shell, is gone. Then it has a limit for its clean-up.
import process from 'node:process'
import { systemClock, type Timer } from '../../base/clock.ts'
import { behindShell } from '../../base/process-loader.ts'

export interface Interest extends Disposable {
  readonly signal: AbortSignal
}

const orphanCheckMs = 1_000
/** For the whole clean-up. What it has not reached by then is killed and removed by the exit handlers. */
const stopLimitMs = 13_000
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** `onEnd` is told once, when interest ends. Disposed of, it listens no more. */
export function interest(onEnd: () => void): Interest {
  const controller = new AbortController()
  let limit: Timer | undefined
  const end = () => {
    if (controller.signal.aborted) return // Asked again: the clean-up is on its way and has its limit.
    limit = systemClock.setTimer(stopLimitMs, () => process.exit(1))
    controller.abort(new DOMException('konverge dev ends', 'AbortError'))
    onEnd()
  }
  for (const signal of signals) process.on(signal, end)

  // A real control plane and its build listen to signals themselves, so anything else becomes one.
  const terminate = () => void process.kill(process.pid, 'SIGTERM')
  for (const stream of [process.stdout, process.stderr]) stream.once('error', terminate).on('error', () => undefined)
  const starters = startersOfThis()
  let orphanCheck: Timer
  const lookForParent = () => {
    if (startersOfThis() !== starters) terminate()
    else orphanCheck = systemClock.setTimer(orphanCheckMs, lookForParent)
  }
  orphanCheck = systemClock.setTimer(orphanCheckMs, lookForParent)
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      limit?.cancel()
      orphanCheck.cancel()
      for (const signal of signals) process.off(signal, end)
    },
  }
}

/** A shell between them outlives its own parent. */
function startersOfThis(): string {
  return [process.ppid, ...behindShell(process.ppid)].join()
}
