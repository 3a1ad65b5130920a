// Why does a key get a turn? Every event that asked for it is kept, so that logs, traces and people can tell; the same
// reason said twice is kept once, and the list has a bound (I12).

export interface Cause {
  readonly kind: 'self' | 'child' | 'watched' | 'external' | 'timer' | 'retry' | 'resync' | 'initial'
  /** What exactly, as in `StatefulSet default/store updated`; never a secret. */
  readonly detail?: string
}

/** `child: StatefulSet default/store updated` */
export function describeCause({ kind, detail }: Cause): string {
  return detail === undefined ? kind : `${kind}: ${detail}`
}

/** What is known of why a key waits for its turn. */
export interface CauseList {
  /** Distinct, in the order they came. */
  readonly causes: readonly Cause[]
  /** How often a cause came that was new but had no room. */
  readonly droppedCauses: number
}

export const maxCauses = 16

export const noCauses: CauseList = Object.freeze({ causes: Object.freeze([]), droppedCauses: 0 })

/** The list with `cause` in it; the same list if it was in already. */
export function withCause(list: CauseList, cause: Cause): CauseList {
  const isKnown = list.causes.some(({ kind, detail }) => kind === cause.kind && detail === cause.detail)
  if (isKnown) return list
  if (list.causes.length >= maxCauses) return { ...list, droppedCauses: list.droppedCauses + 1 }
  return { ...list, causes: [...list.causes, cause] }
}

/** All of `list`, then what `more` has that is new. */
export function withCauses(list: CauseList, more: CauseList): CauseList {
  const merged = more.causes.reduce(withCause, list)
  return more.droppedCauses === 0 ? merged : { ...merged, droppedCauses: merged.droppedCauses + more.droppedCauses }
}
