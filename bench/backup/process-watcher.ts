// Samples the processes of a name, their duration and their peak memory, because a Job starts and ends them. Linux
// only.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pass } from 'node:timers/promises'

export interface Watched {
  readonly pid: number
  /** Command line of the process. */
  command: string
  firstSeenMs: number
  lastSeenMs: number
  /** Peak memory by the kernel, including shared pages. */
  peakBytes: number
  /** Processor time, without its children. */
  processorMs: number
}

const everyMs = 50

export class ProcessWatcher {
  readonly #isMeant: (command: string) => boolean
  readonly #seen = new Map<number, Watched>()
  readonly #watching: Promise<void>
  #isStopped = false

  constructor(isMeant: (command: string) => boolean) {
    this.#isMeant = isMeant
    this.#watching = this.#watch()
  }

  /**
   * Returns the processes seen since `sinceMs`, in order, also ended ones. It omits processes that were seen once only:
   * such a process was about to execute another program, and still had the name of its parent.
   */
  seen(text: string, sinceMs = 0): readonly Watched[] {
    return [...this.#seen.values()].filter(
      ({ command, firstSeenMs, lastSeenMs }) =>
        command.includes(text) && firstSeenMs >= sinceMs && lastSeenMs > firstSeenMs,
    )
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#watching
  }

  async #watch(): Promise<void> {
    while (!this.#isStopped) {
      for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) this.#look(Number(name))
      await pass(everyMs)
    }
  }

  #look(pid: number): void {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      if (!this.#isMeant(command)) return
      const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
      const nowMs = performance.now()
      const known = this.#seen.get(pid) ?? {
        pid,
        command,
        firstSeenMs: nowMs,
        lastSeenMs: nowMs,
        peakBytes: 0,
        processorMs: 0,
      }
      known.lastSeenMs = nowMs
      known.command = command
      known.peakBytes = Math.max(known.peakBytes, Number(kibibytes ?? 0) * 1_024)
      known.processorMs = processorMs(readFileSync(`/proc/${pid}/stat`, 'utf8'))
      this.#seen.set(pid, known)
    } catch {
      // It has ended.
    }
  }
}

/** A tick is a hundredth of a second; the 12th and the 13th field after the name count ticks. */
function processorMs(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}
