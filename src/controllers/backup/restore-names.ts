// How do a database and its restored copy change places? By names alone: the copy is made beside it, both are renamed in one transaction,
// and the former stays for a while. Which names are there says how far it got, so that whoever comes after a crash goes on. Pure.
import type { Change } from '../engines/change.ts'

export interface RestoreNames {
  /** That everybody knows. */
  readonly live: string
  /** The restored copy, until it takes the place. */
  readonly beside: string
  /** What was live before. */
  readonly former: string
}

/** PostgreSQL cuts longer ones off. */
const longestName = 63

/** The id of the request is in the names, so that another request is another restore. */
export function restoreNames(live: string, requestId: string): RestoreNames {
  const named = (sort: string) => {
    const end = `_${sort}_${requestId}`
    return `${live.slice(0, longestName - end.length)}${end}`
  }
  return { live, beside: named('new'), former: named('old') }
}

export type RestoreStep =
  /** The copy is to be made, or, as it may be half made, made anew. */
  | 'restoreBeside'
  | 'swap'
  | 'done'
  /** Neither the database nor its copy has the name that everybody knows. */
  | 'lost'

export interface RestoreSight {
  readonly names: readonly string[]
  /** The copy was compared with the manifest, and is equal. */
  readonly isVerified: boolean
}

export function nextRestoreStep(
  { live, beside, former }: RestoreNames,
  { names, isVerified }: RestoreSight,
): RestoreStep {
  const isThere = (name: string) => names.includes(name)
  if (isThere(live) && isThere(former) && !isThere(beside)) return 'done'
  if (!isThere(live)) return 'lost'
  return isThere(beside) && isVerified ? 'swap' : 'restoreBeside'
}

/** In one transaction: nobody ever sees neither, or both. DatabaseInUse while anybody is connected to one of them. */
export function swapChanges({ live, beside, former }: RestoreNames): readonly Change[] {
  return [
    { kind: 'renameDatabase', database: live, to: former },
    { kind: 'renameDatabase', database: beside, to: live },
  ]
}

/** As it was before; what was restored gets the name that it had. */
export function undoChanges({ live, beside, former }: RestoreNames): readonly Change[] {
  return [
    { kind: 'renameDatabase', database: live, to: beside },
    { kind: 'renameDatabase', database: former, to: live },
  ]
}
