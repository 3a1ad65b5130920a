// Ledger of the roles that one operation created on a server, in the comment of a separate role. Invariant: the ledger
// is written in the same transaction as the roles, so that the next worker can continue or roll back.
import type { Token } from '../../../../index.ts'
import type { LogPosition } from '../../log-position.ts'
import { tokenIn } from '../mark.ts'

export interface Ledger {
  readonly token: Token
  readonly request: string
  readonly roles: readonly string[]
  /** Content of the database after it was created completely. */
  readonly holds: 'schema' | 'rows'
  /** Log position of the source server to which the rows belong, if replication continues from there. */
  readonly from?: LogPosition | undefined
}

const prefix = 'konverge '

/** Returns the comment. Readers of ownership markers find the token in it. */
export function ledgerText({ token: { uid, generation, holder }, request, roles, holds, from }: Ledger): string {
  return prefix + JSON.stringify({ uid, generation, holder, request, roles, holds, from })
}

/** Returns the ledger. Undefined for any other comment. */
export function ledgerIn(comment: string | null | undefined): Ledger | undefined {
  const token = tokenIn(comment)
  if (token === undefined || comment === null || comment === undefined) return undefined
  // The same text has been parsed above.
  const { request, roles, holds, from } = JSON.parse(comment.slice(prefix.length)) as Record<string, unknown>
  const areNames = Array.isArray(roles) && roles.every((name) => typeof name === 'string')
  return typeof request === 'string' && areNames
    ? {
        ...{ token, request, roles, holds: holds === 'rows' ? holds : 'schema' },
        ...(typeof from === 'string' ? { from } : {}),
      }
    : undefined
}
