// Checks the volume claim of a store. A claim that the operator or another controller made holds the data of a server:
// a worker must neither read nor write there. Pure.
import { databaseSelectorLabel, kvSelectorLabel } from '../../../constructs/index.ts'
import type { LiveObject } from '../../index.ts'
import type { Problem } from '../migration/migration-place.ts'

/** Labels of claims of the operator's StatefulSets, which copy their selector to their claims. */
const ownLabels = [databaseSelectorLabel, kvSelectorLabel]

/** Reason to reject the claim; undefined if it is allowed, or does not exist yet. */
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
