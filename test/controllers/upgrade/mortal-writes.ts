// Faults at writes to the API server: an operator dies before or after the nth write, counted over all of its
// processes.
// Later writes of that process do not reach the API server. The test detects the death and starts another process.
import type { FaultRule, FaultyServer, RequestRecord } from '../../../src/testing/index.ts'
import type { Place } from '../../crash-runs/crash-workflow.ts'

const verbs = ['create', 'update', 'patch', 'delete']
const on = { verbs, userAgent: 'operator' }

/** From 1. */
export interface NthWriteBlow {
  readonly write: number
  readonly when: 'before' | 'after'
}

interface Death {
  readonly rules: readonly FaultRule[]
  /** Ends the faults. */
  end(): void
}

export class MortalWrites {
  struck = 0
  readonly #faults: FaultyServer
  #deaths: readonly Death[]

  constructor(faults: FaultyServer, blows: readonly NthWriteBlow[]) {
    this.#faults = faults
    this.#deaths = blows.map((blow) => {
      const rules = rulesOf(blow)
      const ends = rules.map((rule) => faults.add(rule))
      return {
        rules,
        end: () => {
          for (const end of ends) end()
        },
      }
    })
  }

  get isDead(): boolean {
    return this.#deaths.some((death) => this.#hasCome(death))
  }

  /** Writes of another process reach the API server. */
  begin(): void {
    const come = this.#deaths.filter((death) => this.#hasCome(death))
    this.#deaths = this.#deaths.filter((death) => !come.includes(death))
    this.struck += come.length
    for (const { end } of come) end()
  }

  #hasCome({ rules }: Death): boolean {
    return rules.some((rule) => this.#faults.struck(rule) > 0)
  }
}

function rulesOf({ write, when }: NthWriteBlow): readonly FaultRule[] {
  const before = { kind: 'cut', when: 'before' } as const
  if (when === 'before') return [{ fault: before, on, after: write - 1 }]
  return [
    { fault: { kind: 'cut', when: 'after' }, on, after: write - 1, times: 1 },
    { fault: before, on, after: write },
  ]
}

/** Writes of a run without a death. */
export function nthWritePlaces(requests: readonly RequestRecord[]): readonly Place<NthWriteBlow>[] {
  const writes = requests.filter(({ verb, userAgent }) => verbs.includes(verb) && userAgent.startsWith(on.userAgent))
  return writes.flatMap(({ verb, resource, subresource, name }, at) =>
    (['before', 'after'] as const).map((when) => ({
      title: `operator dies ${when} write ${at + 1}: ${[verb, resource, subresource, name].filter(Boolean).join(' ')}`,
      blow: { write: at + 1, when },
    })),
  )
}
