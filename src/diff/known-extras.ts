// Digests of the undeclared fields that each child has inside values that are owned as a whole. Invariant: what differs from the last answer of
// the API server, or from the first state that this process has seen, is applied again. The hash on the child cannot tell: who applies under our
// manager keeps it. One entry for each living child that may have such fields; the oldest go beyond a limit.
import { hashJson } from '../base/json.ts'
import type { Change, Extras } from './compare.ts'
import { renderPath } from './field-path.ts'

/** A child, and the manager of what is declared of it: an object of several owners has several. */
export interface Part {
  readonly uid: string
  readonly manager: string
}

/** Extras that an apply has to verify. */
export interface Doubt {
  readonly changes: readonly Change[]
  /** Their digest, if nothing but a request to verify them is the reason: an apply that leaves it as it is has changed nothing. */
  readonly doubted?: string
}

interface Known {
  readonly manager: string
  /** Of the defaults. Undefined: an apply has to verify them. */
  readonly digest: string | undefined
}

/** About 35 MB. A child beyond it counts as seen for the first time. */
const maxChildren = 262_144

export class KnownExtras {
  /** By uid, the oldest first. */
  readonly #known = new Map<string, readonly Known[]>()

  /** How many children it remembers something of. */
  get size(): number {
    return this.#known.size
  }

  /** What an apply has to verify; undefined: nothing. The first state of a child counts as verified. */
  doubtAbout(part: Part, extras: Extras): Doubt | undefined {
    const known = this.#find(part)
    const digest = digestOf(extras.defaults)
    if (known === undefined || known.digest === digest) {
      if (known === undefined) this.#remember(part, digest)
      return undefined
    }
    // The contents of a map that is declared empty may be of others, who change them as they like.
    const isAsked = known.digest === undefined
    const changes = isAsked ? allOf(extras) : extras.defaults
    if (changes.length > 0) return isAsked ? { changes, doubted: digestOf(changes) } : { changes }
    // What was removed is no default, or comes back with the next apply.
    this.#remember(part, digest)
    return undefined
  }

  /** Takes in the answer to an apply. Returns whether the extras are those of this digest of a doubt. */
  learn(part: Part, extras: Extras, doubted: string | undefined): boolean {
    this.#remember(part, digestOf(extras.defaults))
    return doubted !== undefined && doubted === digestOf(allOf(extras))
  }

  /** The next comparison asks for an apply that verifies the extras, if there are any. */
  doubt(part: Part): void {
    this.#remember(part, undefined)
  }

  /** The child is gone. */
  forget(uid: string): void {
    this.#known.delete(uid)
  }

  #find({ uid, manager }: Part): Known | undefined {
    return this.#known.get(uid)?.find((known) => known.manager === manager)
  }

  #remember({ uid, manager }: Part, digest: string | undefined): void {
    const others = this.#known.get(uid)?.filter((known) => known.manager !== manager) ?? []
    this.#known.delete(uid)
    this.#known.set(uid, [...others, { manager, digest }])
    if (this.#known.size <= maxChildren) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
  }
}

function allOf({ defaults, contents }: Extras): readonly Change[] {
  return contents.length === 0 ? defaults : [...defaults, ...contents]
}

/** The same for the same fields in any order; empty for none. */
function digestOf(changes: readonly Change[]): string {
  if (changes.length === 0) return ''
  const fields = Object.fromEntries(changes.map(({ path, live = null }) => [renderPath(path), live]))
  return hashJson(fields)
}
