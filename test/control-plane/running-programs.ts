// List of the programs that run on this machine: from /proc if it exists, so that Node alone suffices; else from ps.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

export interface RunningProgram {
  readonly pid: number
  /** The command line, with words separated by spaces. */
  readonly command: string
}

export function runningPrograms(): readonly RunningProgram[] {
  return existsSync('/proc/self/cmdline') ? programsOfProc() : programsOfPs()
}

function programsOfProc(): readonly RunningProgram[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    try {
      return { pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() }
    } catch {
      return [] // Ended meanwhile.
    }
  })
}

function programsOfPs(): readonly RunningProgram[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return lines.split('\n').flatMap((line) => {
    const [, pid, command] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined || command === undefined ? [] : { pid: Number(pid), command }
  })
}
