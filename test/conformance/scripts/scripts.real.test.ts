// Comparison of servers by scripts: the embedded one with the real one, and the real one with itself. The latter shows
// that the canonical
// form renames enough. `KONVERGE_SCRIPT_STEPS` and `KONVERGE_SCRIPT_SEED` set the number of steps and the seed;
// `KONVERGE_SCRIPT_AGAINST=real` or `embedded` selects one of the two.
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type {} from '../../control-plane/vitest-global-setup.ts' // Types of provided values.
import { serveWidgets } from '../area.ts'
import { embeddedServer } from '../embedded-server.ts'
import { realServer } from '../real-server.ts'
import { Stage } from '../stage.ts'
import { Agreement } from './agreement.ts'
import { families } from './families.ts'
import { partingText } from './parting.ts'
import type { Script } from './script.ts'
import { CampaignRunner } from './script-campaign-runner.ts'
import { ScriptRunner } from './script-runner.ts'

/** In CI: at least five thousand steps of the embedded server, and few of the real one. */
const usualSteps = { embedded: 4_800, real: 300 }
const seed = Number(process.env['KONVERGE_SCRIPT_SEED'] ?? 1)
const sides = (['embedded', 'real'] as const).filter(
  (side) => (process.env['KONVERGE_SCRIPT_AGAINST'] ?? side) === side,
)

const regressionFolder = new URL('regressions/', import.meta.url)
const regressions = readdirSync(regressionFolder).filter((name) => name.endsWith('.json'))

describe.each(sides)('the real server against the %s one', (side) => {
  const steps = Number(process.env['KONVERGE_SCRIPT_STEPS'] ?? usualSteps[side])
  const limitMs = 60_000 + steps * 50
  const agreement = new Agreement()
  let campaigns: CampaignRunner
  beforeAll(async () => {
    const left = realServer(inject('controlPlane'))
    const right = side === 'embedded' ? embeddedServer() : left
    for (const server of [left, right]) await serveWidgets(new Stage(server, 'default'))
    const prefix = `s${Date.now().toString(36)}-`
    campaigns = new CampaignRunner(new ScriptRunner({ left, right, prefix }), agreement)
  })
  afterAll(() => process.stdout.write(`${agreement.steps} steps\n${agreement.report()}\n`))

  it.each(regressions)('agrees on %s', { timeout: limitMs }, async (name) => {
    const script = JSON.parse(readFileSync(new URL(name, regressionFolder), 'utf8')) as Script // From an earlier run.
    expect(await campaigns.replay(script)).toBeUndefined()
  })

  it.each(families)('agrees on scripts of the family $family', { timeout: limitMs }, async (family) => {
    const partings = await campaigns.run(family, { steps, seed })
    expect(partings.map(partingText)).toEqual([])
  })
})
