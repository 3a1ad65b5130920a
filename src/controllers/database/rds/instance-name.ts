// Name of an instance, constant in all reconciliations, because RDS has no idempotency token: a second creation fails
// with AlreadyExists. Part of the UID distinguishes resources of the same name, in other clusters and after a deletion.
import { createHash } from 'node:crypto'

interface Owner {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

const mostLetters = 63
const prefix = 'konverge'

/**
 * Returns `konverge-<namespace>-<name>-<start of the uid>` by the rules of RDS: at most 63 of a-z, 0-9 and '-', without
 * '--' and without '-' at the end.
 */
export function instanceIdentifier({ namespace, name, uid }: Owner): string {
  const ending = uidStart(uid)
  const middle = plain(`${namespace}-${name}`).slice(0, mostLetters - prefix.length - ending.length - 2)
  return plain(`${prefix}-${middle}-${ending}`)
}

const mostLettersOfSnapshots = 255

/** Returns `konverge-<namespace>-<name>-<uid>` of a Backup, by the rules of RDS for snapshots. */
export function snapshotIdentifier({ namespace, name, uid }: Owner): string {
  const ending = plain(uid)
  const middle = plain(`${namespace}-${name}`).slice(0, mostLettersOfSnapshots - prefix.length - ending.length - 2)
  return plain(`${prefix}-${middle}-${ending}`)
}

/** Returns the name of the final snapshot with `deletionPolicy: Snapshot`. */
export function finalSnapshotIdentifier(uid: string): string {
  return plain(`final-${uid}`)
}

/** A Kubernetes UID starts with eight hexadecimal digits. For other text its digest is used. */
function uidStart(uid: string): string {
  return /^[0-9a-f]{8}/.exec(uid)?.[0] ?? createHash('sha256').update(uid).digest('hex').slice(0, 8)
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
