// Behaviours that a server lacks, with reasons. The list is complete. Skipped behaviours are expected to fail, so a
// fixed one must be
// removed from the list; suite.test.ts rejects other stale entries.
import type { ServerName } from './server-under-test.ts'

export interface Skip {
  readonly server: ServerName
  /** Area and sentence: `lists: answers …`. */
  readonly behaviour: string
  readonly reason: string
  /** Entry of src/apiserver/deviations.yaml; every skip of the embedded server has one. */
  readonly deviation?: string
}

interface Deviation {
  readonly id: string
  readonly reason: string
  readonly behaviours: readonly string[]
}

const deviations: readonly Deviation[] = [
  {
    id: 'yaml-texts',
    reason: 'What is wrong with YAML is said in the words of another parser.',
    behaviours: ['refusals: refuses an apply that is no YAML'],
  },
]

export const skips: readonly Skip[] = deviations.flatMap(({ id, reason, behaviours }) =>
  behaviours.map((behaviour): Skip => ({ server: 'embedded', behaviour, reason, deviation: id })),
)
