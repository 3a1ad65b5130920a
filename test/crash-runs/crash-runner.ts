// One batch of crash runs. It runs its workflow without a fault, and then once for each aim. Invariant: all end states
// are equal.
// After a failed run the server is discarded, and the next run gets another one.
import { deepStrictEqual } from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import type { PostgresHome } from '../postgres/postgres-home.ts'
import { PostgresServer } from '../postgres/postgres-server.ts'
import type { CrashStory, CrashWorkflow, Told } from './crash-workflow.ts'
import { aimsAt, type Batch, type DrawnAim, isDrawn, keyOf, placeOf, placesOf } from './draw.ts'

export interface CrashRun {
  readonly workflow: string
  /** PostgreSQL version, if the workflow needs one. */
  readonly version?: number | undefined
  /** Number of the run in its draw, from 1. */
  readonly nth?: number | undefined
  /** Key by which the run can be repeated. */
  readonly key: string
  /** Titles of its places. */
  readonly title: string
  readonly struck: number
  readonly ms: number
  readonly error?: string | undefined
}

export interface BatchOptions {
  readonly home: PostgresHome
  readonly workflow: CrashWorkflow
  /** Called for each run after its end. */
  readonly onRun: (run: CrashRun) => void
  /** Returns true if there is time for another run. */
  readonly hasTime: () => boolean
}

/** Limit of one run, so that a stuck run does not block the others. */
const runLimitMs = 600_000

/** State that runs share until one of them fails. */
interface Ground {
  readonly story: CrashStory
  readonly undisturbed: Told<unknown>
}

export async function runBatch({ version, aims }: Batch, options: BatchOptions): Promise<void> {
  const { workflow, onRun, hasTime } = options
  let ground: Ground | undefined
  let remaining: readonly DrawnAim[] = []
  if (isDrawn(aims)) remaining = aims
  else {
    ground = await prepare(version, options)
    remaining = aimsAt(aims, ground.undisturbed.places.length)
  }
  for (const aim of remaining) {
    if (!hasTime()) return
    const startedMs = performance.now()
    const { nth } = aim
    let run = {
      workflow: workflow.name,
      version,
      nth,
      key: placeOf(workflow.name, version),
      title: 'undisturbed',
      struck: 0,
    }
    let error: string | undefined
    try {
      ground ??= await prepare(version, options)
      const { places } = ground.undisturbed
      const numbers = placesOf(aim, places.length)
      const chosen = numbers.flatMap((number) => places[number] ?? [])
      run = {
        ...run,
        key: keyOf(workflow.name, version, numbers),
        title: chosen.map(({ title }) => title).join(', then '),
      }
      const told = await inTime(ground.story.tell(chosen.map(({ blow }) => blow)))
      run = { ...run, struck: told.struck }
      deepStrictEqual(plain(told.end), plain(ground.undisturbed.end))
    } catch (thrown) {
      error = inspect(thrown, { depth: 6 })
      ground = undefined
    }
    onRun({ ...run, ms: Math.round(performance.now() - startedMs), error })
  }
}

async function prepare(version: number | undefined, options: BatchOptions): Promise<Ground> {
  const { workflow } = options
  const story = await begin(version, options)
  const undisturbed = await inTime(story.tell([]))
  expect(undisturbed.end).toMatchObject(workflow.whole)
  expect(undisturbed.places.length).toBeGreaterThan(1)
  return { story, undisturbed }
}

async function begin(version: number | undefined, { home, workflow }: BatchOptions): Promise<CrashStory> {
  if (workflow.server === 'none') return workflow.start()
  if (version === undefined)
    throw new Error(`${workflow.name} is told on a version of PostgreSQL, as ${workflow.name}@15`)
  const server = await PostgresServer.start(home, { ...workflow.server, version })
  onTestFinished(() => server.remove())
  return workflow.start(server)
}

async function inTime<T>(telling: Promise<T>): Promise<T> {
  const over = new AbortController()
  const limit = sleep(runLimitMs, undefined, { signal: over.signal, ref: false })
  telling.finally(() => over.abort()).catch(() => undefined)
  const late = limit.then((): never => {
    throw new Error(`it did not end within ${runLimitMs / 1_000} s`)
  })
  late.catch(() => undefined) // A run after its limit may still reject.
  return Promise.race([telling, late])
}

/** Returns the end state without undefined values and prototypes. */
function plain(end: object): unknown {
  return JSON.parse(JSON.stringify(end))
}
