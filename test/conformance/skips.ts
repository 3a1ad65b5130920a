// Which behaviours does which server not show, and why? The whole list. What stands here is expected to fail, so that what is
// mended is taken off; suite.test.ts keeps out what is stale otherwise.
import type { ServerName } from './server-under-test.ts'

export interface Skip {
  readonly server: ServerName
  /** The area and the sentence: `lists: answers …`. */
  readonly behaviour: string
  readonly reason: string
  /** The entry of src/apiserver/deviations.yaml that says so; every skip of the embedded server has one. */
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
