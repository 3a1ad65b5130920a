// Times at which an apply verifies the undeclared fields of a resource's children: once for each reconcile-now, and
// after each interval. Invariants: the start of a process verifies nothing, and each existing resource has one entry.
import { identityOf } from '../apply/plan.ts'
import type { LiveObject, StatusWithConditions } from '../object/object.ts'
import type { DesiredObject } from '../synth/desired.ts'
import type { Controller } from './definition.ts'
import { isAnswerDue, steeringOf } from './steering.ts'

interface Verified {
  readonly token: string | undefined
  readonly atMs: number
}

export class VerificationTimes {
  readonly #controller: Pick<Controller, 'hasStatus' | 'part' | 'resyncMs'>
  readonly #verified = new Map<string, Verified>()

  constructor(controller: Pick<Controller, 'hasStatus' | 'part' | 'resyncMs'>) {
    this.#controller = controller
  }

  /** Returns true if a verification is due, and records it as done. `nowMs`: on the monotonic clock. */
  isDue(parent: LiveObject, nowMs: number): boolean {
    const { uid } = parent.metadata
    const { token, intervalMs = this.#controller.resyncMs } = steeringOf(parent)
    const last = this.#verified.get(uid)
    const isAsked =
      token !== undefined && (last === undefined ? this.#isUnanswered(parent, token) : token !== last.token)
    const isOld = last !== undefined && intervalMs !== undefined && nowMs - last.atMs >= intervalMs
    const isDue = isAsked || isOld
    if (isDue || last === undefined) this.#verified.set(uid, { token, atMs: nowMs })
    else if (token !== last.token) this.#verified.set(uid, { token, atMs: last.atMs })
    return isDue
  }

  /** Call when the resource is gone. */
  forget(uid: string): void {
    this.#verified.delete(uid)
  }

  /** True if the token was set before this process began, and has no answer. False if no answer can be stored. */
  #isUnanswered({ status }: LiveObject, token: string): boolean {
    const { hasStatus, part } = this.#controller
    return hasStatus && part === undefined && isAnswerDue(token, status as StatusWithConditions | undefined) // Sound.
  }
}

/** Desired objects, and the children of their resource. */
export interface Declared {
  readonly desired: readonly DesiredObject[]
  readonly children: readonly LiveObject[]
}

/** Returns the declared children, each with its declaration. */
export function declaredChildren({
  desired,
  children,
}: Declared): readonly { readonly item: DesiredObject; readonly live: LiveObject }[] {
  const living = new Map(children.map((child) => [identityOf(child), child]))
  return desired.flatMap((item) => {
    const live = item.policies.contribute ? undefined : living.get(identityOf(item.object))
    return live === undefined ? [] : [{ item, live }]
  })
}
