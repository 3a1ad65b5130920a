// The command line of any operator, as konverge's own has it.
import process from 'node:process'
import { runCommandLine } from './command-line.ts'
import type { OperatorCliOptions } from './program.ts'

/**
 * Runs the program that the arguments of this process ask for: `run`, `preview`, `diff`, `install`, `dev` or `generate`. Resolves when the command has
 * ended, with its exit code in `process.exitCode`: 0, or 2 if the input is at fault, or 1 if something else is. `diff` ends with 1 when something
 * differs, and with 2 when it fails. A failure is one sentence on standard error. SIGINT and SIGTERM end a command in order.
 *
 * @example
 * await operatorCli({ name: 'websites', version: '1.2.0', controllers: [website], crds: new URL('./crds/', import.meta.url) })
 */
export async function operatorCli(options: OperatorCliOptions): Promise<void> {
  process.exitCode = await runCommandLine(options, process.argv)
}
