// Names that an operator and its controllers have in the cluster, computed from the names of both. Invariant: different operators, and
// different controllers of one operator, never share one. Pure.
import { createHash } from 'node:crypto'

/** Source: apimachinery, validation of label values. */
const maxLabelValueLength = 63
/** 80 bits. */
const hashLength = 20

/**
 * The value of `konverge.dev/owned-by` on the children of a controller: its name, e.g. `databases.data.konverge.dev`, or the shortened name
 * where a label value has no room for it.
 */
export function ownedByValue(controller: string): string {
  return shortened(controller, maxLabelValueLength)
}

/** The name, or its beginning and a hash of it. Names of resources have no `_`, so no shortened one equals another name. */
function shortened(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength)
  return `${name.slice(0, maxLength - hashLength - 1)}_${hash}`
}
