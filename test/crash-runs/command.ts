// Command line of `npm run crashes -- …`. Pure.
import { parseArgs } from 'node:util'
import type { Draw } from './draw.ts'

export interface CrashCommand {
  readonly draw: Draw
  readonly only: readonly string[] | undefined
  readonly lanes: number
  readonly minutes: number | undefined
  readonly folder: string | undefined
}

export const usage = `Usage: npm run crashes -- [options]
  --runs <n>          so many runs, drawn by the seed (default 10000)
  --seed <n>          default 1
  --every             instead: every place of every workflow once
  --run <key>         instead: one run again, by its key in a report, such as database@15:12
  --workflow <name>   only this one; may be repeated
  --lanes <n>         so many at a time (default 2)
  --minutes <n>       no run begins after so many minutes
  --folder <path>     where the runs, the failures and the report are written (default: a new one); where the same draw was told
                      before, it is gone on with
`

/** Returns the command, or a message about the error. */
export function readCommand(args: readonly string[]): CrashCommand | string {
  try {
    return commandOf(args)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function commandOf(args: readonly string[]): CrashCommand {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      every: { type: 'boolean', default: false },
      run: { type: 'string' },
      workflow: { type: 'string', multiple: true },
      lanes: { type: 'string', default: '2' },
      minutes: { type: 'string' },
      folder: { type: 'string' },
    },
  })
  const { every, run, workflow, minutes, folder } = values
  const drawn: Draw = { kind: 'drawn', runs: count(values.runs, 'runs'), seed: count(values.seed, 'seed') }
  const whole: Draw = every ? { kind: 'every' } : drawn
  return {
    draw: run === undefined ? whole : { kind: 'one', key: run },
    only: workflow,
    lanes: run === undefined ? count(values.lanes, 'lanes') : 1,
    minutes: minutes === undefined ? undefined : count(minutes, 'minutes'),
    folder,
  }
}

function count(text: string, option: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${option} is a whole number from 1, not '${text}'`)
  return Number(text)
}
