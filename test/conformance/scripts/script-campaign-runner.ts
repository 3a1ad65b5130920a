// Campaign of many scripts. Each family gets its share of the steps, several scripts run in parallel, and the first
// script that shows a
// difference is shrunk.
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

/** Scripts in parallel: waiting for a controller costs time, not work. */
const atOnce = 6
/** Number of scripts that fast-check samples at once. */
const lot = 12
const shrinkLimitMs = 60_000
/** Number of times that a script must show a difference. */
const chances = 4

export class CampaignRunner {
  readonly #runner: ScriptRunner
  readonly #agreement: Agreement

  constructor(runner: ScriptRunner, agreement: Agreement) {
    this.#runner = runner
    this.#agreement = agreement
  }

  /** Runs the family's share of the campaign; returns every script with a difference, the first one shrunk. */
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
    // Some orders are random in the real server (Go's maps); a random difference does not repeat every time.
    for (let again = 1; outcome.difference !== undefined && again < chances; again++)
      outcome = await this.#runner.compare(script)
    const { verbs, difference } = outcome
    this.#agreement.count(family, verbs, difference?.step)
    return difference === undefined ? [] : [{ script, difference }]
  }

  /** Removes steps one by one, as long as the difference remains and time is left. */
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

/** A missing wait or a missing owner causes a difference by itself. */
function isNeeded(steps: readonly Step[], index: number): boolean {
  const step = steps[index]
  const name = at(step?.ask.body ?? null, 'metadata.name')
  return step?.kind === 'serve' || JSON.stringify(steps.slice(index + 1)).includes(`{{uid:${String(name)}}}`)
}

function upTo({ script: { family, steps }, difference: { step } }: Parting): Script {
  return { family, steps: steps.slice(0, step + 1) }
}
