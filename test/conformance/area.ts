// What is a behaviour? One sentence about the API server, and a run that fails where it is not so. An area is the
// behaviours of one subject; both servers run the same ones.
import { beforeAll, describe, it } from 'vitest'
import { definitions, widget, widgets } from './kinds.ts'
import type { ServerName, ServerUnderTest } from './server-under-test.ts'
import { skips } from './skips.ts'
import { Stage, taken } from './stage.ts'
import { widgetDefinition } from './widget-definition.ts'

export interface Behaviour {
  /** Reads after the area's name, and names the behaviour in skips.ts. */
  readonly sentence: string
  readonly run: (stage: Stage) => Promise<void>
}

export interface Area {
  /** Begins the names of its namespaces too. */
  readonly name: string
  readonly behaviours: readonly Behaviour[]
  /** `together` where behaviours mostly wait: for controllers, for time. */
  readonly runs: 'together' | 'one-by-one'
  /** The garbage collector has to know the custom kinds. */
  readonly needsCollector: boolean
}

/** Two rounds of the collector, as one may have begun just before. */
const collectorLimitMs = 75_000

/**
 * @example
 * export const lists = area('lists', (it) => {
 *   it('lists by name', async (stage) => { … })
 * })
 */
export function area(
  name: string,
  define: (it: (sentence: string, run: Behaviour['run']) => void) => void,
  { runs = 'one-by-one', needsCollector = false }: Partial<Pick<Area, 'runs' | 'needsCollector'>> = {},
): Area {
  const behaviours: Behaviour[] = []
  define((sentence, run) => behaviours.push({ sentence, run }))
  return { name, behaviours, runs, needsCollector }
}

/** Registers every behaviour with vitest; those that skips.ts lists for this server are expected to fail. */
export function runAreas(areas: readonly Area[], serverName: ServerName, connect: () => ServerUnderTest): void {
  const suffix = Math.floor(Math.random() * 36 ** 4).toString(36)
  let server: ServerUnderTest
  beforeAll(async () => {
    server = connect()
    await serveWidgets(new Stage(server, 'default'))
  })
  describe.each(areas)('$name', ({ name, behaviours, runs, needsCollector }) => {
    const namespace = `${name}-${suffix}`
    beforeAll(async () => {
      const stage = new Stage(server, namespace)
      await stage.furnishedNamespace(namespace)
      if (needsCollector) await collectWidgets(stage)
    })
    for (const { sentence, run } of behaviours) {
      const isSkipped = skips.some((skip) => skip.behaviour === `${name}: ${sentence}` && skip.server === serverName)
      // What is skipped has to fail: a skip that is not needed any more turns red.
      const kind = isSkipped ? it.fails : it
      const register = runs === 'together' ? kind.concurrent : kind
      register(sentence, async () => {
        const stage = new Stage(server, namespace, { isFailing: isSkipped })
        try {
          await run(stage)
        } finally {
          stage.close()
        }
      })
    }
  })
}

/** Makes sure that widgets are served. */
export async function serveWidgets(stage: Stage): Promise<void> {
  await stage.create(definitions, widgetDefinition) // Refused where it is there already, which serves as well.
  await stage.eventually(
    () => stage.list(widgets),
    ({ status }) => status === 200,
  )
}

/**
 * Waits until the garbage collector looks after widgets. The real one asks every 30 s which kinds there are; what it meets of
 * one that it does not know it tries again later and later, up to minutes after it has come to know it.
 */
async function collectWidgets(stage: Stage): Promise<void> {
  await stage.made(widgets, widget('probe'))
  taken(await stage.delete(widgets, 'probe', { propagationPolicy: 'Foreground' }))
  await stage.gone(widgets, 'probe', { limitMs: collectorLimitMs })
}
