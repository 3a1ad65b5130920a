// Runs attempts one after the other in one environment; skips those of pending.ts, which vitest counts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoryServer } from '../e2e/story-server.ts'
import type { PostgresServer } from '../postgres/postgres-server.ts'
import { AdversaryStage } from './adversary-stage.ts'
import type { Attempt } from './attempt.ts'
import { pending } from './pending.ts'

export interface SuiteAsk {
  readonly startServer: () => Promise<StoryServer>
  readonly postgres: () => PostgresServer
  readonly version: number
  readonly attempts: readonly Attempt[]
}

const isPending = ({ attacker, does }: Attempt) => pending.some((one) => one.attempt === `${attacker} ${does}`)

export function describeAttempts({ startServer, postgres, version, attempts }: SuiteAsk): void {
  let stage: AdversaryStage
  beforeAll(async () => {
    stage = await AdversaryStage.start({ server: await startServer(), postgres: postgres() })
  })
  afterAll(async () => await stage?.stop())

  const meant = attempts.filter(({ since = 0 }) => version >= since)
  describe.for([...new Set(meant.map(({ attacker }) => attacker))])('a %s', (who) => {
    const own = meant.filter(({ attacker }) => attacker === who)
    for (const attempt of own) {
      const name = `x${attempts.indexOf(attempt)}`
      it.skipIf(isPending(attempt))(`${attempt.does}: ${attempt.outcome.sentence}`, async () => {
        await stage.run(attempt, name)
      })
    }
  })

  it('leaves the operator with no write in the victim’s namespace but of states', async () => {
    const writes = await stage.strayWrites()
    expect(writes).toEqual([])
  })
}
