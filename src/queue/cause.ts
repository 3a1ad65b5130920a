// Causes of a queued key. The queue keeps every event that added the key, for logs, traces and people. Invariant: equal
// causes are kept once, and the list has a bound (I12).

export interface Cause {
  readonly kind: 'self' | 'child' | 'watched' | 'external' | 'timer' | 'retry' | 'resync' | 'initial'
  /** Detail, as in `StatefulSet default/store updated`; never a secret. */
  readonly detail?: string
}

/** `child: StatefulSet default/store updated` */
export function describeCause({ kind, detail }: Cause): string {
  return detail === undefined ? kind : `${kind}: ${detail}`
}

/** Known causes of a queued key. */
export interface CauseList {
  /** Distinct, in the order of arrival. */
  readonly causes: readonly Cause[]
  /** Number of further causes that the bound dropped. */
  readonly droppedCauses: number
}

export const maxCauses = 16

export const noCauses: CauseList = Object.freeze({ causes: Object.freeze([]), droppedCauses: 0 })

/** Returns the list with `cause`; the same list if it already has the cause. */
export function withCause(list: CauseList, cause: Cause): CauseList {
  const isKnown = list.causes.some(({ kind, detail }) => kind === cause.kind && detail === cause.detail)
  if (isKnown) return list
  if (list.causes.length >= maxCauses) return { ...list, droppedCauses: list.droppedCauses + 1 }
  return { ...list, causes: [...list.causes, cause] }
}

/** Returns all of `list`, then the new causes of `more`. */
export function withCauses(list: CauseList, more: CauseList): CauseList {
  const merged = more.causes.reduce(withCause, list)
  return more.droppedCauses === 0 ? merged : { ...merged, droppedCauses: merged.droppedCauses + more.droppedCauses }
}
