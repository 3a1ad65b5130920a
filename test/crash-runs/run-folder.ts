// Folder of crash runs: the draw, and a file of lines for each process. With the same draw a later command continues
// it: passed runs are not repeated.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { CrashCommand } from './command.ts'
import type { CrashRun } from './crash-runner.ts'

/** Returns undefined, or the reason why the folder cannot be used. */
export function openRunFolder(folder: string, { draw, only }: Pick<CrashCommand, 'draw' | 'only'>): undefined | string {
  mkdirSync(folder, { recursive: true })
  const drawFile = join(folder, 'draw.json')
  const drawn = JSON.parse(JSON.stringify({ draw, only }))
  if (!existsSync(drawFile)) {
    writeFileSync(drawFile, JSON.stringify(drawn))
    return undefined
  }
  const earlier = readFileSync(drawFile, 'utf8')
  if (!isDeepStrictEqual(JSON.parse(earlier), drawn)) return `${folder} has the runs of ${earlier}: name another folder`
  if (draw.kind === 'drawn') return undefined
  return `${folder} has runs already, and only runs that are drawn by a seed are gone on with: name another folder`
}

/** Returns names of new files. */
export function newRunFiles(folder: string, count: number): readonly string[] {
  const before = runFilesIn(folder).length
  const files = Array.from({ length: count }, (_, at) => join(folder, `runs-${before + at + 1}.jsonl`))
  for (const file of files) writeFileSync(file, '')
  return files
}

/** Returns the runs in the order of each process. The last line of a file may be incomplete. */
export function runsIn(folder: string): readonly CrashRun[] {
  return runFilesIn(folder)
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n').slice(0, -1))
    .map((line) => JSON.parse(line) as CrashRun) // The crash runs wrote it.
}

/** Returns the numbers of the passed runs of a draw. */
export function passedIn(runs: readonly CrashRun[]): ReadonlySet<number> {
  return new Set(runs.flatMap(({ nth, error }) => (nth === undefined || error !== undefined ? [] : [nth])))
}

function runFilesIn(folder: string): readonly string[] {
  const numberOf = (file: string) => Number(/\d+/.exec(file)?.[0])
  return readdirSync(folder)
    .filter((file) => /^runs-\d+\.jsonl$/.test(file))
    .toSorted((left, right) => numberOf(left) - numberOf(right))
}
