// Processor time of a benchmark's processes, by name. Unlike the duration, it does not depend on other load of the
// machine. Linux only.
import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'

interface Known {
  readonly parent: number
  readonly command: string
  /** Its own time, and that of its ended children. */
  readonly seconds: number
}

/** A kernel tick is a hundredth of a second. */
const ticksPerSecond = 100

/**
 * Returns the seconds of this process and of all that it has started, by the names that `nameOf` gives their commands.
 */
export function processorSeconds(nameOf: (command: string) => string): ReadonlyMap<string, number> {
  const all = new Map(readdirSync('/proc').flatMap((name) => known(Number(name))))
  const isOurs = (pid: number): boolean => pid === process.pid || isOursBy(all.get(pid)?.parent, isOurs)
  const seconds = new Map<string, number>()
  for (const [pid, { command, seconds: taken }] of all) {
    if (!isOurs(pid)) continue
    const name = pid === process.pid ? 'this' : nameOf(command)
    seconds.set(name, (seconds.get(name) ?? 0) + taken)
  }
  return seconds
}

function isOursBy(parent: number | undefined, isOurs: (pid: number) => boolean): boolean {
  return parent !== undefined && parent > 1 && isOurs(parent)
}

function known(pid: number): readonly (readonly [number, Known])[] {
  if (!Number.isInteger(pid)) return []
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Fields after the name, which is in brackets and may hold any character: state, parent, and from the 12th on the
    // times.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const ticks = fields.slice(11, 15).reduce((sum, one) => sum + one, 0)
    return [[pid, { parent: fields[1] ?? 0, command, seconds: ticks / ticksPerSecond }]]
  } catch {
    return [] // It has ended.
  }
}
