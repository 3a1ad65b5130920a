// Command `run`: runs the controllers of a program, with its settings and flags, until the signal aborts.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../base/errors.ts'
import { type OperatorHandle, type RunOperatorOptions, startOperator } from '../index.ts'
import { LeaderElectionError } from '../operator/leader-election.ts'
import { chosenControllers } from './chosen-controllers.ts'
import { chosenSettings } from './chosen-settings.ts'
import { CommandError } from './command-error.ts'
import { type FlagValues, type OperatorCliOptions, type OperatorSettings, userAgentOf } from './program.ts'
import { type RunFlags, runOptionsOf } from './run-options.ts'
import { checkSharding } from './sharding-option.ts'

export interface RunOptions extends RunFlags, Pick<RunOperatorOptions, 'environment' | 'output'> {
  readonly program: OperatorCliOptions
  /** Flags of the program. */
  readonly flags: FlagValues
  /** Names of the controllers to run; empty: all. */
  readonly controllers: readonly string[]
  /** Folder with tls.crt and tls.key. */
  readonly metricsCertificate?: string | undefined
}

/** Runs until the signal aborts. Rejects with one sentence if the operator cannot start. */
export async function run(options: RunOptions, signal: AbortSignal): Promise<void> {
  const { program, flags, environment, output, metricsCertificate, controllers: names, ...own } = options
  const controllers = await chosenControllers(program, { names, environment, flags })
  const settings = await chosenSettings(program, { environment, flags })
  const certificate = metricsCertificate === undefined ? undefined : await certificateIn(metricsCertificate)
  const base = { controllers, environment, output, userAgent: userAgentOf(program) }
  const operator = runOptionsOf(base, { flags: own, settings, certificate })
  checkSharding(operator.sharding, { ...operator, electsLeader: operator.leaderElection?.enabled })
  try {
    await startedWith(await startOperator(operator, signal), settings)
  } catch (thrown) {
    throw thrown instanceof LeaderElectionError ? new CommandError(thrown.message, 2) : thrown
  }
}

/** Resolves when the operator has ended. If `onStarted` throws, stops the operator first. */
async function startedWith(operator: OperatorHandle, { onStarted }: OperatorSettings): Promise<void> {
  try {
    onStarted?.(operator)
  } catch (thrown) {
    await operator.stop()
    throw thrown
  }
  await operator.done
}

async function certificateIn(folder: string): Promise<{ readonly cert: string; readonly key: string }> {
  const read = async (file: string) => {
    return await readFile(join(folder, file), 'utf8').catch((thrown: unknown) => {
      throw new CommandError(`--metrics-certificate: ${messageOf(thrown)}`, 2)
    })
  }
  return { cert: await read('tls.crt'), key: await read('tls.key') }
}
