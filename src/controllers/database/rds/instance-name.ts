// What is an instance called? The same at every turn, since RDS has no other idempotency than its names: who creates twice is
// told that the name is taken. Part of the uid keeps two resources of one name apart, in other clusters and after a deletion.
import { createHash } from 'node:crypto'

interface Owner {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

const mostLetters = 63
const prefix = 'konverge'

/**
 * `konverge-<namespace>-<name>-<beginning of the uid>` by the rules of RDS: at most 63 of a-z, 0-9 and '-', no two '-' in a row
 * and none at the end.
 */
export function instanceIdentifier({ namespace, name, uid }: Owner): string {
  const ending = uidStart(uid)
  const middle = plain(`${namespace}-${name}`).slice(0, mostLetters - prefix.length - ending.length - 2)
  return plain(`${prefix}-${middle}-${ending}`)
}

const mostLettersOfSnapshots = 255

/** `konverge-<namespace>-<name>-<uid>` of a Backup, by the rules of RDS for snapshots. */
export function snapshotIdentifier({ namespace, name, uid }: Owner): string {
  const ending = plain(uid)
  const middle = plain(`${namespace}-${name}`).slice(0, mostLettersOfSnapshots - prefix.length - ending.length - 2)
  return plain(`${prefix}-${middle}-${ending}`)
}

/** What is left of an instance that was deleted with `deletionPolicy: Snapshot`. */
export function finalSnapshotIdentifier(uid: string): string {
  return plain(`final-${uid}`)
}

/** A uid of Kubernetes begins with eight hexadecimal digits; of anything else its digest does. */
function uidStart(uid: string): string {
  return /^[0-9a-f]{8}/.exec(uid)?.[0] ?? createHash('sha256').update(uid).digest('hex').slice(0, 8)
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
