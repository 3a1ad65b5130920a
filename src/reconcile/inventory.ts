// Which marks make a resource the parent of an ApplySet? The id that its children carry, and which kinds to look for, so that
// kubectl and a later operator find them without any construct. Source: KEP-3659, as kubectl's code has it.
import type { LiveObject } from '../object/object.ts'
import { groupKindOf } from '../object/resource.ts'
import { applySetId } from '../synth/membership.ts'
import type { Controller } from './definition.ts'

export interface Inventory {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** The version of the marks, not of konverge: an upgrade must not write every resource anew. */
const tooling = 'konverge/v1'

export function inventoryOf(parent: LiveObject, { owns }: Controller): Inventory {
  const kinds = owns.map(({ resource }) => groupKindOf(resource)).sort()
  return {
    labels: { 'applyset.kubernetes.io/id': applySetId(parent) },
    annotations: {
      'applyset.kubernetes.io/tooling': tooling,
      'applyset.kubernetes.io/contains-group-kinds': kinds.join(','),
    },
  }
}
