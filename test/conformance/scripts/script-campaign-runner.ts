// How are many scripts run? Each family gets its share of the steps, several scripts are under way at once, and the first
// that parts the two sides is shrunk to the smallest that still does.
import fc from 'fast-check'
import { at } from '../stage.ts'
import type { Agreement } from './agreement.ts'
import type { ScriptFamily } from './families.ts'
import type { Parting } from './parting.ts'
import type { Script, Step } from './script.ts'
import type { ScriptRunner } from './script-runner.ts'

export interface Campaign {
  readonly steps: number
  readonly seed: number
}

/** A controller that is waited for costs time, not work: so many scripts are under way at once. */
const atOnce = 6
/** Scripts are made in lots: what fast-check samples it makes at once. */
const lot = 12
const shrinkLimitMs = 60_000
/** How often a script has to part the sides before it counts. */
const chances = 4

export class CampaignRunner {
  readonly #runner: ScriptRunner
  readonly #agreement: Agreement

  constructor(runner: ScriptRunner, agreement: Agreement) {
    this.#runner = runner
    this.#agreement = agreement
  }

  /** Runs the family's share of the campaign; every script that parts the sides, the first one shrunk. */
  async run({ family, scripts, share }: ScriptFamily, { steps, seed }: Campaign): Promise<Parting[]> {
    const partings: Parting[] = []
    let left = Math.ceil(steps * share)
    for (let round = 0; left > 0; round++) {
      const samples = fc.sample(scripts, { seed: seed + round, numRuns: lot })
      for (let first = 0; first < samples.length && left > 0; first += atOnce) {
        const some = samples.slice(first, first + atOnce)
        left -= some.reduce((sum, script) => sum + script.steps.length, 0)
        partings.push(...(await Promise.all(some.map((script) => this.#compare(family, script)))).flat())
      }
    }
    const [first, ...others] = partings
    return first === undefined ? [] : [await this.#shrunk(first), ...others]
  }

  async replay(script: Script): Promise<Parting | undefined> {
    return (await this.#compare(script.family, script))[0]
  }

  async #compare(family: string, script: Script): Promise<Parting[]> {
    let outcome = await this.#runner.compare(script)
    // The real server leaves some orders to chance (Go's maps); what parts the sides by chance does not do so again and again.
    for (let again = 1; outcome.difference !== undefined && again < chances; again++)
      outcome = await this.#runner.compare(script)
    const { verbs, difference } = outcome
    this.#agreement.count(family, verbs, difference?.step)
    return difference === undefined ? [] : [{ script, difference }]
  }

  /** Leaves out steps, one after the other, as long as the sides still part and time allows. */
  async #shrunk(parting: Parting): Promise<Parting> {
    const deadline = performance.now() + shrinkLimitMs
    let smallest = { ...parting, script: upTo(parting) }
    for (let index = smallest.script.steps.length - 2; index >= 0 && performance.now() < deadline; index--) {
      const { steps, family } = smallest.script
      if (isNeeded(steps, index)) continue
      const script = { family, steps: steps.toSpliced(index, 1) }
      const { difference } = await this.#runner.compare(script)
      if (difference !== undefined) smallest = { script: upTo({ script, difference }), difference }
      index = Math.min(index, smallest.script.steps.length - 1)
    }
    return smallest
  }
}

/** What is not waited for, and an owner that is not there, part the sides by themselves. */
function isNeeded(steps: readonly Step[], index: number): boolean {
  const step = steps[index]
  const name = at(step?.ask.body ?? null, 'metadata.name')
  return step?.kind === 'serve' || JSON.stringify(steps.slice(index + 1)).includes(`{{uid:${String(name)}}}`)
}

function upTo({ script: { family, steps }, difference: { step } }: Parting): Script {
  return { family, steps: steps.slice(0, step + 1) }
}
