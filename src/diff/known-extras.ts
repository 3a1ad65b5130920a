// Digests of the undeclared fields of each child inside values that are owned as a whole. Invariant: a difference from
// the last API response, or from the first state that this process has seen, is applied again.
// The hash on the child cannot tell, because another apply under the same manager keeps it. One entry for each existing
// child that may have such fields; beyond a limit the oldest are dropped.
import { hashJson } from '../base/json.ts'
import type { Change, Extras } from './compare.ts'
import { renderPath } from './field-path.ts'

/** A child, and the manager of its declaration: an object of several owners has several. */
export interface Part {
  readonly uid: string
  readonly manager: string
}

/** Extras that an apply has to verify. */
export interface Doubt {
  readonly changes: readonly Change[]
  /**
   * Their digest, if the only reason is a request to verify them: an apply that leaves it unchanged has changed
   * nothing.
   */
  readonly doubted?: string
}

interface Known {
  readonly manager: string
  /** Digest of the defaults. Undefined: an apply has to verify them. */
  readonly digest: string | undefined
}

/** About 35 MB. A child beyond it counts as new. */
const maxChildren = 262_144

export class KnownExtras {
  /** By uid, the oldest first. */
  readonly #known = new Map<string, readonly Known[]>()

  /** Number of remembered children. */
  get size(): number {
    return this.#known.size
  }

  /** Returns the extras that an apply has to verify; undefined: none. The first state of a child counts as verified. */
  doubtAbout(part: Part, extras: Extras): Doubt | undefined {
    const known = this.#find(part)
    const digest = digestOf(extras.defaults)
    if (known === undefined || known.digest === digest) {
      if (known === undefined) this.#remember(part, digest)
      return undefined
    }
    // The contents of a map that is declared empty may belong to others, who change them freely.
    const isAsked = known.digest === undefined
    const changes = isAsked ? allOf(extras) : extras.defaults
    if (changes.length > 0) return isAsked ? { changes, doubted: digestOf(changes) } : { changes }
    // A removed field is no default, or returns with the next apply.
    this.#remember(part, digest)
    return undefined
  }

  /** Records the response to an apply. Returns true if the extras have this digest of a doubt. */
  learn(part: Part, extras: Extras, doubted: string | undefined): boolean {
    this.#remember(part, digestOf(extras.defaults))
    return doubted !== undefined && doubted === digestOf(allOf(extras))
  }

  /** Makes the next comparison request an apply that verifies the extras, if there are any. */
  doubt(part: Part): void {
    this.#remember(part, undefined)
  }

  /** Call when the child is gone. */
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

/** Equal for the same fields in any order; empty for none. */
function digestOf(changes: readonly Change[]): string {
  if (changes.length === 0) return ''
  const fields = Object.fromEntries(changes.map(({ path, live = null }) => [renderPath(path), live]))
  return hashJson(fields)
}
