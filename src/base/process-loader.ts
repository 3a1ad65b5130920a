// Identity of a process: the pid alone may be reused, but with its start time it identifies one process until the next
// boot. Read from /proc if it exists, else from ps.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Returns a text that identifies one process for its whole life; undefined if it has ended. */
export function startMarkOf(pid: number): string | undefined {
  if (!existsSync('/proc/self/stat')) return startMarkOfPs(pid)
  const stat = statOf(pid)
  return stat === undefined || stat.state === 'Z' ? undefined : stat.startMark
}

/** Returns the processes of the session of `leader`, whether it still lives or not. Empty on systems without /proc. */
export function sessionOf(leader: number): readonly number[] {
  if (!existsSync('/proc/self/stat')) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = statOf(pid)
      return stat !== undefined && stat.session === leader && stat.state !== 'Z'
    })
}

/**
 * Returns the processes behind a shell that only runs a command, as npm starts its scripts: the shell's parent, and so
 * on upwards. Empty for any other process, and on systems without /proc.
 */
export function behindShell(pid: number): readonly number[] {
  const parent = runsOneCommand(pid) ? statOf(pid)?.parent : undefined
  return parent === undefined ? [] : [parent, ...behindShell(parent)]
}

function runsOneCommand(pid: number): boolean {
  try {
    const [program = '', option = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return /(^|\/)\w*sh$/.test(program) && /^-\w*c$/.test(option)
  } catch {
    return false // It has ended, or there is no /proc.
  }
}

interface ProcessStat {
  readonly state: string
  readonly parent: number
  readonly session: number
  readonly startMark: string
}

/** Source: proc_pid_stat(5). The name, in brackets, may hold any character, so fields are counted from its end. */
function statOf(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [state = '', parent, , session] = fields
    return { state, parent: Number(parent), session: Number(session), startMark: `${bootId()}:${fields[19]}` }
  } catch {
    return undefined // It has ended.
  }
}

/** Start times count from the boot. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return '' // Hidden in some sandboxes; the start time alone must do.
  }
}

function startMarkOfPs(pid: number): string | undefined {
  try {
    const text = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return text === '' || text.startsWith('Z') ? undefined : text.replace(/^\S+\s+/, '')
  } catch {
    return undefined // No process has this id.
  }
}
