// Runs the program as users do: a process from source, with its output and exit code.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Ended {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface KonvergeOptions {
  readonly input?: string
  readonly environment?: Readonly<Record<string, string>>
}

const ownProgram = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
/** HOME that cannot contain files, not even for root: files of a user's home must not affect a test. */
export const noHome = '/dev/null'
/** Limit far above the time of these runs, also on a busy machine. */
const limitMs = 240_000

/**
 * Runs `konverge`, or another program, with these arguments until it ends. Kills and rejects a run that does not end.
 */
export function konverge(
  args: readonly string[],
  { input, environment = {} }: KonvergeOptions = {},
  program = ownProgram,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // Only the variables that Node needs: a KUBECONFIG of this machine must not affect a test.
    const env = { PATH: process.env['PATH'] ?? '', HOME: noHome, ...environment }
    const child = execFile(process.execPath, [program, ...args], { env, timeout: limitMs }, (error, stdout, stderr) => {
      if (child.exitCode === null) reject(error ?? new Error('the program was killed'))
      else resolve({ exitCode: child.exitCode, stdout, stderr })
    })
    child.stdin?.on('error', () => {}) // A command that reads nothing may have ended before.
    child.stdin?.end(input ?? '')
  })
}

/** Gives `use` a folder with these files, and removes it afterwards. */
export async function withFiles<T>(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-cli-'))
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Asserts the form of every failure: empty standard output, and one line on standard error. Returns the line. */
export function sentenceOf({ stdout, stderr }: Ended): string {
  const lines = stderr.split('\n')
  if (stdout !== '' || lines.length !== 2 || lines[1] !== '')
    throw new Error(`not one sentence on standard error alone:\n${stdout}\n${stderr}`)
  return lines[0] ?? ''
}
