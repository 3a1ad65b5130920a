// Volume claims that a store may be on. A claim that the operator or another controller made holds the data of a server, which a worker would read, and
// write into. Pure.
import { databaseSelectorLabel, kvSelectorLabel } from '../../../constructs/index.ts'
import type { LiveObject } from '../../index.ts'
import type { Problem } from '../migration/migration-place.ts'

/** A StatefulSet labels the claims that it makes by its selector. */
const ownLabels = [databaseSelectorLabel, kvSelectorLabel]

/** Why no store may be on this claim; undefined: nothing, or there is no such claim yet. */
export function claimProblem(claim: LiveObject | undefined): Problem | undefined {
  if (claim === undefined) return undefined
  const { name, labels, ownerReferences = [] } = claim.metadata
  const owner = ownerReferences.find(({ controller }) => controller === true)
  const label = ownLabels.find((one) => labels?.[one] !== undefined)
  if (owner === undefined && label === undefined) return undefined
  const whose =
    owner === undefined ? `is the volume of a server (label ${label})` : `belongs to ${owner.kind} ${owner.name}`
  const message = `volume claim ${name} ${whose}; name a claim in target.pvc.claimName that is for backups alone`
  return { kind: 'refused', reason: 'ClaimRefused', message }
}
