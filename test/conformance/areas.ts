// All areas of the suite.
import type { Area } from './area.ts'
import { applies } from './behaviours/applies.ts'
import { controlPlane } from './behaviours/control-plane.ts'
import { creates } from './behaviours/creates.ts'
import { customKinds } from './behaviours/custom-kinds.ts'
import { declaredEmpties } from './behaviours/declared-empties.ts'
import { deletes } from './behaviours/deletes.ts'
import { documents } from './behaviours/documents.ts'
import { lists } from './behaviours/lists.ts'
import { options } from './behaviours/options.ts'
import { ownership } from './behaviours/ownership.ts'
import { patches } from './behaviours/patches.ts'
import { podLogs } from './behaviours/pod-logs.ts'
import { refusals } from './behaviours/rejections.ts'
import { subresources } from './behaviours/subresources.ts'
import { updates } from './behaviours/updates.ts'
import { watches } from './behaviours/watches.ts'

export const areas: readonly Area[] = [
  lists,
  watches,
  creates,
  updates,
  subresources,
  podLogs,
  patches,
  applies,
  declaredEmpties,
  deletes,
  ownership,
  controlPlane,
  customKinds,
  options,
  documents,
  refusals,
]
