// Discovery of PostgreSQL programs on this machine, by running each program for its version.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { LogicalError } from '../../logical-error.ts'
import { chooseTool, type DatabaseProgram, type LogicalTool, toolVersion } from '../../logical-tool.ts'
import { runTool } from './tool-runner.ts'

export interface ToolPlaces {
  /** Contains a folder for each version with `bin` in it, as on Debian. */
  readonly versions: string
  /** Folders of programs, as in PATH. */
  readonly folders: readonly string[]
}

/** Returns the chosen tool. Throws LogicalToolMissing or VersionMismatch if there is none. */
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

/** Returns the tools. Skips a folder in which the program does not run. */
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
