// Time for running reconciles to end when the operator stops.
import { expect, it } from 'vitest'
import { seededRandom, seededSecrets } from '../../src/base/random.ts'
import { Operator } from '../../src/operator/operator.ts'
import { HealthRegistry } from '../../src/telemetry/health.ts'
import { siteController, World } from '../reconcile/life.ts'

it.each([
  { gracefulShutdownMs: undefined, ended: 'aborted', stopMs: 2_500 },
  { gracefulShutdownMs: 30_000, ended: 'done', stopMs: 20_000 },
])(
  'a reconcile of 20 s is $ended with a limit of $gracefulShutdownMs ms',
  async ({ gracefulShutdownMs, ended, stopMs }) => {
    const world = new World()
    const { clock, api, instruments } = world
    const ends: string[] = []
    const observe = async ({ signal }: { signal: AbortSignal }) => {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve())
        clock.setTimer(20_000, resolve)
      })
      ends.push(signal.aborted ? 'aborted' : 'done')
    }
    const operator = new Operator({
      ...{ name: 'konverge', clock, random: seededRandom(1), secrets: seededSecrets(1), instruments, client: api },
      ...{ health: new HealthRegistry(), controllers: [siteController({ observe })], gracefulShutdownMs },
    })
    const stop = new AbortController()
    const run = operator.run(stop.signal)
    world.addSite()
    await clock.advance(1)
    const stoppedMs = clock.monotonicMs()
    let endedMs: number | undefined
    const whole = run.then(() => {
      endedMs = clock.monotonicMs()
    })
    stop.abort()
    await clock.advance(60_000)
    await whole
    expect(ends).toEqual([ended])
    expect((endedMs ?? 0) - stoppedMs).toBeGreaterThanOrEqual(stopMs - 1)
    expect((endedMs ?? 0) - stoppedMs).toBeLessThanOrEqual(stopMs + 1)
  },
)
