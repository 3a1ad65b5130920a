// Command line of any operator, with the commands of konverge's own program.
import process from 'node:process'
import { runCommandLine } from './command-line.ts'
import type { OperatorCliOptions } from './program.ts'

/**
 * Runs the command that the arguments of this process name: `run`, `preview`, `diff`, `install`, `dev` or `generate`.
 *
 * Resolves when the command has ended, and sets `process.exitCode`: 0 for success, 2 for invalid input, 1 for any other
 * failure. `diff` sets 1 for a difference and 2 for a failure. A failure prints one sentence on standard error. SIGINT
 * and SIGTERM stop a command gracefully.
 *
 * @example
 * const crds = new URL('./crds/', import.meta.url)
 * await operatorCli({ name: 'websites', version: '1.2.0', controllers: [website], crds })
 */
export async function operatorCli(options: OperatorCliOptions): Promise<void> {
  process.exitCode = await runCommandLine(options, process.argv)
}
