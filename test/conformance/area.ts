// Areas of behaviours. A behaviour is one sentence about the API server, with a run that fails if it is false. An area
// groups the
// behaviours of one subject; both servers run the same ones.
import { beforeAll, describe, it } from 'vitest'
import { definitions, widget, widgets } from './kinds.ts'
import type { ServerName, ServerUnderTest } from './server-under-test.ts'
import { skips } from './skips.ts'
import { Stage, taken } from './stage.ts'
import { widgetDefinition } from './widget-definition.ts'

export interface Behaviour {
  /** Continues the area's name; skips.ts refers to the behaviour by it. */
  readonly sentence: string
  readonly run: (stage: Stage) => Promise<void>
}

export interface Area {
  /** Also the prefix of its namespaces. */
  readonly name: string
  readonly behaviours: readonly Behaviour[]
  /** `together` for behaviours that mostly wait for controllers or time. */
  readonly runs: 'together' | 'one-by-one'
  /** True if the garbage collector must know the custom kinds. */
  readonly needsCollector: boolean
}

/** Two rounds of the collector, because one may have begun just before. */
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
      // A skipped behaviour must fail: an obsolete skip turns red.
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

/** Waits until widgets are served. */
export async function serveWidgets(stage: Stage): Promise<void> {
  await stage.create(definitions, widgetDefinition) // Rejected if it exists already, which is fine too.
  await stage.eventually(
    () => stage.list(widgets),
    ({ status }) => status === 200,
  )
}

/**
 * Waits until the garbage collector manages widgets. The real one discovers kinds every 30 s. It retries an object of
 * an unknown kind with
 * growing delays, up to minutes after it has discovered the kind.
 */
async function collectWidgets(stage: Stage): Promise<void> {
  await stage.made(widgets, widget('probe'))
  taken(await stage.delete(widgets, 'probe', { propagationPolicy: 'Foreground' }))
  await stage.gone(widgets, 'probe', { limitMs: collectorLimitMs })
}
