// Consent to interrupt writers, so that applications can switch to the target server. Pure.
import type { SagaCall } from '../../../index.ts'
import type { DatabaseObject } from '../server-connection.ts'

/**
 * Annotation whose value names the upgrade: the version and the value of `retry`. It thereby is no consent to another
 * upgrade or another try.
 */
export const cutoverAnnotation = 'data.konverge.dev/cutover'

type Undertaking = Pick<SagaCall<unknown>, 'id' | 'input'>

/** Returns what the cutover waits for; undefined if it can start now. */
export function cutoverWaitsFor({ metadata, spec }: DatabaseObject, undertaking: Undertaking): string | undefined {
  const consent = consentTo(undertaking)
  if (spec.upgrade?.cutover === 'Automatic' || metadata.annotations?.[cutoverAnnotation] === consent) return undefined
  return `the new server follows; annotate the Database with ${cutoverAnnotation}=${consent} to lead applications there`
}

/** Returns `18`, or `18-b` for an upgrade that started with `retry: b`. */
function consentTo({ id, input: { from } }: Undertaking): string {
  return id.slice(`${from}-to-`.length)
}
