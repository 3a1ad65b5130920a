// Which processes of a name are there, how long do they run, and how much memory do they have at most? Looked at again and again, as those
// of a Job come and go by themselves. Linux only.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pass } from 'node:timers/promises'

export interface Watched {
  readonly pid: number
  /** How it was begun. */
  command: string
  firstSeenMs: number
  lastSeenMs: number
  /** What it had at most at once, as the kernel keeps it: shared pages too. */
  peakBytes: number
  /** Of the processor, without its children. */
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
   * Those that were seen since, in order; what is said of them stays true when they have ended. What was seen but once is a process that
   * was about to become another program, and had the name of the one that began it.
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

/** A tick is a hundredth of a second; behind the name, the 12th and the 13th field count them. */
function processorMs(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}
