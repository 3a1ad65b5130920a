// Was the server asked at all? Where it was not, nobody knows how what is on it stands, and what was told of that before is told as unknown;
// everything else that fails is its answer. Pure.
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

export function isUnasked({ state, reason }: ExternalReport): boolean {
  return state === 'failed' && reasons.has(reason)
}

/** Those of the types that were told before. */
export function unknownSince(
  status: StatusWithConditions | undefined,
  types: readonly string[],
  { reason, message }: { readonly reason: string; readonly message: string },
): readonly ConditionClaim[] {
  return types
    .filter((type) => findCondition(status?.conditions, type) !== undefined)
    .map((type) => ({ type, status: 'Unknown', reason, message }))
}
