// Lifetime of `konverge dev`. It ends by a signal, when its output closes, or when the process that started it is gone.
// That process may be behind a shell, as npm starts it. At the end, the cleanup has a time limit.
import process from 'node:process'
import { systemClock, type Timer } from '../../base/clock.ts'
import { behindShell } from '../../base/process-loader.ts'

export interface Interest extends Disposable {
  readonly signal: AbortSignal
}

const orphanCheckMs = 1_000
/** Limit for the whole cleanup. After it, the exit handlers kill and remove the rest. */
const stopLimitMs = 13_000
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Starts to watch for the end. `onEnd` is called once, when it comes. Disposal removes the signal handlers. */
export function interest(onEnd: () => void): Interest {
  const controller = new AbortController()
  let limit: Timer | undefined
  const end = () => {
    if (controller.signal.aborted) return // A repeated signal changes nothing: the cleanup runs and has its limit.
    limit = systemClock.setTimer(stopLimitMs, () => process.exit(1))
    controller.abort(new DOMException('konverge dev ends', 'AbortError'))
    onEnd()
  }
  for (const signal of signals) process.on(signal, end)

  // A real control plane and its build handle signals themselves, so every other end becomes a signal.
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

/** Identifies the parent and, behind a shell, its parent: a shell outlives its own parent. */
function startersOfThis(): string {
  return [process.ppid, ...behindShell(process.ppid)].join()
}
