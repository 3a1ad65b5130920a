// Failures in which the server did not answer. The state of objects on the server is then unknown, and so are earlier
// conditions about it. All other failures are answers of the server. Pure.
import { type ConditionClaim, type ExternalReport, findCondition, type StatusWithConditions } from '../../index.ts'

const reasons: ReadonlySet<string> = new Set([
  'ServerUnreachable',
  'TLSVerifyFailed',
  'TooManyConnections',
  'AdminAuthFailed',
  'DependencyUnavailable',
  'DependencyTimeout',
  'DependencyBusy',
])

export function isUnrequested({ state, reason }: ExternalReport): boolean {
  return state === 'failed' && reasons.has(reason)
}

/** Returns condition=Unknown for each of the types that the status already has. */
export function unknownSince(
  status: StatusWithConditions | undefined,
  types: readonly string[],
  { reason, message }: { readonly reason: string; readonly message: string },
): readonly ConditionClaim[] {
  return types
    .filter((type) => findCondition(status?.conditions, type) !== undefined)
    .map((type) => ({ type, status: 'Unknown', reason, message }))
}
