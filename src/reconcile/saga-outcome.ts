// Effect of the sagas on the outcome of a reconcile, as for external resources. A transient failure is retried, a
// permanent one stops, and unfinished work is waited for.
import { unreachable } from '../base/assert.ts'
import type { SagaFound } from '../saga/saga-runner.ts'
import { joinedOutcome } from './external-outcome.ts'
import type { Outcome } from './outcome.ts'

export function outcomeOfSagas(found: readonly Pick<SagaFound, 'record' | 'standing'>[]): Outcome {
  const settled: Outcome = { kind: 'settled' }
  return found.map(outcomeOfSaga).reduce(joinedOutcome, settled)
}

function outcomeOfSaga({ record, standing }: Pick<SagaFound, 'record' | 'standing'>): Outcome {
  const { end, reason, message, lookAfterMs } = standing
  const told = record === undefined ? message : `${record.name}: ${message}`
  switch (end) {
    case 'settled':
      return { kind: 'settled' }
    case 'moved':
      return record?.finishedAt === undefined ? { kind: 'waiting', on: told } : { kind: 'settled' }
    case 'waiting':
      return { kind: 'waiting', on: told }
    case 'retry':
      return { kind: 'retry', reason, message: told, retryAfterMs: lookAfterMs }
    case 'stopped':
      return { kind: 'stopped', reason, message }
    default:
      return unreachable(end)
  }
}
