// Which behaviours are not asked of which server, and why? The whole list; suite.test.ts keeps it free of what is stale.
import type { ServerName } from './server-under-test.ts'

export interface Skip {
  readonly server: ServerName
  /** The area and the sentence: `lists: answers …`. */
  readonly behaviour: string
  readonly reason: string
  /** The entry of src/apiserver/deviations.yaml that says so; every skip of the embedded server has one. */
  readonly deviation?: string
}

export const skips: readonly Skip[] = []
