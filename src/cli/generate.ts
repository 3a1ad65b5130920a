// Command `generate`: writes the generated files, or with --check reports which are not up to date.
import { type GeneratedFile, generate } from '../generate/generate-runner.ts'
import { CommandError } from './command-error.ts'

export interface GenerateCommandOptions {
  readonly crdFolder: string
  readonly outFolder: string
  readonly mode: 'write' | 'check'
  /** Name of the program, for messages. */
  readonly program: string
  readonly write: (text: string) => void
}

const written: Readonly<Record<GeneratedFile['state'], string>> = {
  fresh: 'unchanged',
  stale: 'updated',
  missing: 'created',
  orphaned: 'removed',
}

export async function generateCommand(
  { program, write, ...options }: GenerateCommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const files = await generate(options, signal)
  const changed = files.filter(({ state }) => state !== 'fresh')
  for (const { path, state } of changed) write(`${options.mode === 'check' ? state : written[state]}\t${path}\n`)
  if (options.mode === 'check' && changed.length > 0) {
    throw new CommandError(
      `${changed.length} of ${files.length} generated files are not up to date; run ${program} generate`,
      2,
    )
  }
  write(`${files.length} files are up to date\n`)
}
