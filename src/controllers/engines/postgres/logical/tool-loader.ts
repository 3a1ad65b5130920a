// Which of PostgreSQL's programs are on this machine? Each folder is asked once: by running the program for its version.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { LogicalError } from '../../logical-error.ts'
import { chooseTool, type DatabaseProgram, type LogicalTool, toolVersion } from '../../logical-tool.ts'
import { runTool } from './tool-runner.ts'

export interface ToolPlaces {
  /** Has a folder for each version with `bin` in it, as Debian has. */
  readonly versions: string
  /** Folders of programs, as in PATH. */
  readonly folders: readonly string[]
}

/** Throws LogicalToolMissing or VersionMismatch where none will do. */
export async function loadTool(
  program: DatabaseProgram,
  serverVersion: number,
  places: ToolPlaces,
  signal: AbortSignal,
): Promise<LogicalTool> {
  const choice = chooseTool(program, await findTools(program, places, signal), serverVersion)
  if (choice.kind === 'tool') return choice.tool
  throw new LogicalError({ code: choice.reason, message: choice.message, remedy: 'stop' })
}

/** A folder in which the program does not run counts as one without it. */
export async function findTools(
  program: DatabaseProgram,
  { versions, folders }: ToolPlaces,
  signal: AbortSignal,
): Promise<readonly LogicalTool[]> {
  const debian = existsSync(versions) ? readdirSync(versions).map((name) => join(versions, name, 'bin')) : []
  const candidates = [...new Set([...debian, ...folders])].filter((folder) => existsSync(join(folder, program)))
  const tools = candidates.map(async (folder) => {
    const ask = { program, folder, args: ['--version'], environment: { LC_ALL: 'C' }, about: 'its version', signal }
    const version = toolVersion(await runTool(ask).catch(() => ''))
    return version === undefined ? [] : [{ ...version, folder }]
  })
  signal.throwIfAborted()
  return (await Promise.all(tools)).flat()
}
