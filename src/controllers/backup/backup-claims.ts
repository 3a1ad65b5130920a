// Conditions of a Backup that report its readiness. Pure.
import type { ConditionClaim } from '../../index.ts'

/** `done`: ready. `stalled`: the user must change something. `underWay`: work in progress. */
export type Readiness = 'done' | 'stalled' | 'underWay'

export function claim(
  type: string,
  status: ConditionClaim['status'],
  { reason, message }: Pick<ConditionClaim, 'reason' | 'message'>,
): ConditionClaim {
  return { type, status, reason, message }
}

export function readiness(
  kind: Readiness,
  words: Pick<ConditionClaim, 'reason' | 'message'>,
): readonly ConditionClaim[] {
  switch (kind) {
    case 'done':
      return [claim('Ready', 'True', words)]
    case 'underWay':
      return [claim('Ready', 'False', words), claim('Progressing', 'True', words)]
    case 'stalled':
      return [
        claim('Ready', 'False', words),
        claim('Progressing', 'False', {
          reason: 'Stalled',
          message: 'nothing goes on until somebody changes something',
        }),
        claim('Degraded', 'True', words),
        claim('Stalled', 'True', words),
      ]
  }
}
