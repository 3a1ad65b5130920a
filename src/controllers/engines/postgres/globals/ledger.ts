// How is it noted on a server which roles were made there for one undertaking? In the comment of a role of its own, made in the same
// transaction: whoever goes on, or takes them back, finds them by it.
import type { Token } from '../../../../index.ts'
import type { LogPosition } from '../../log-position.ts'
import { tokenIn } from '../mark.ts'

export interface Ledger {
  readonly token: Token
  readonly request: string
  readonly roles: readonly string[]
  /** Of the database, once it is there as a whole. */
  readonly holds: 'schema' | 'rows'
  /** Of which moment of the old side the rows are, if they are to follow it from there on. */
  readonly from?: LogPosition | undefined
}

const prefix = 'konverge '

/** Readers of marks find the token in it. */
export function ledgerText({ token: { uid, generation, holder }, request, roles, holds, from }: Ledger): string {
  return prefix + JSON.stringify({ uid, generation, holder, request, roles, holds, from })
}

/** Undefined for every other comment. */
export function ledgerIn(comment: string | null | undefined): Ledger | undefined {
  const token = tokenIn(comment)
  if (token === undefined || comment === null || comment === undefined) return undefined
  const { request, roles, holds, from } = JSON.parse(comment.slice(prefix.length)) as Record<string, unknown> // As read before.
  const areNames = Array.isArray(roles) && roles.every((name) => typeof name === 'string')
  return typeof request === 'string' && areNames
    ? {
        ...{ token, request, roles, holds: holds === 'rows' ? holds : 'schema' },
        ...(typeof from === 'string' ? { from } : {}),
      }
    : undefined
}
