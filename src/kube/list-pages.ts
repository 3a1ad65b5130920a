// Bound of a list in pages. Pure. Invariant: a list ends, whatever continue tokens the server sends.
import { KubeError } from './kube-errors.ts'

/** Many times what an API server stores, even with pages of few objects. */
const mostPages = 100_000

export interface PageAnswer {
  /** Pages of the list so far, this one included. */
  readonly pages: number
  /** The continue token that asked for this page. */
  readonly asked: string | undefined
  /** The continue token that it came with. */
  readonly answered: string
}

/** Why the list cannot go on, in one clause; undefined: it can. */
export function endlessListProblem({ pages, asked, answered }: PageAnswer): string | undefined {
  if (answered === asked) {
    return 'the API server repeats a continue token, so the list has no end; look for a proxy that rewrites answers'
  }
  return pages >= mostPages
    ? `the list has more than ${mostPages} pages; select fewer objects, or look for a proxy that rewrites answers`
    : undefined
}

/** Throws a KubeError `ServerError` where the list cannot go on. `attempt` begins its message. */
export function assertListEnds(attempt: string, answer: PageAnswer): void {
  const problem = endlessListProblem(answer)
  if (problem !== undefined) throw new KubeError({ code: 'ServerError', message: `${attempt}: ${problem}` })
}
