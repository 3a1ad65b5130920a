// Bounds a list in pages. Pure. Invariant: a list ends, whatever continue tokens the server sends.
import { KubeError } from './kube-errors.ts'

/** Many times the pages of a full API server, even with few objects per page. */
const mostPages = 100_000

export interface PageAnswer {
  /** Pages of the list so far, including this one. */
  readonly pages: number
  /** Continue token of the request for this page. */
  readonly asked: string | undefined
  /** Continue token in this page. */
  readonly answered: string
}

/** Returns the reason why the list must end, as one clause. Undefined: it can continue. */
export function endlessListProblem({ pages, asked, answered }: PageAnswer): string | undefined {
  if (answered === asked) {
    return 'the API server repeats a continue token, so the list has no end; look for a proxy that rewrites answers'
  }
  return pages >= mostPages
    ? `the list has more than ${mostPages} pages; select fewer objects, or look for a proxy that rewrites answers`
    : undefined
}

/** Throws a KubeError `ServerError` if the list must end. `attempt` begins its message. */
export function assertListEnds(attempt: string, answer: PageAnswer): void {
  const problem = endlessListProblem(answer)
  if (problem !== undefined) throw new KubeError({ code: 'ServerError', message: `${attempt}: ${problem}` })
}
