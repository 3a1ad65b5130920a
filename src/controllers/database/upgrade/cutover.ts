// May writers be interrupted now, so that applications can be led to the new server? Pure.
import type { SagaCall } from '../../../index.ts'
import type { DatabaseObject } from '../server-connection.ts'

/** Its value names the undertaking, so that it is no consent to another one, nor to another try: the version and the word of `retry`. */
export const cutoverAnnotation = 'data.konverge.dev/cutover'

type Undertaking = Pick<SagaCall<unknown>, 'id' | 'input'>

/** For what is waited; undefined: now. */
export function cutoverWaitsFor({ metadata, spec }: DatabaseObject, undertaking: Undertaking): string | undefined {
  const consent = consentTo(undertaking)
  if (spec.upgrade?.cutover === 'Automatic' || metadata.annotations?.[cutoverAnnotation] === consent) return undefined
  return `the new server follows; annotate the Database with ${cutoverAnnotation}=${consent} to lead applications there`
}

/** `18`, or `18-b` of one that began with `retry: b`. */
function consentTo({ id, input: { from } }: Undertaking): string {
  return id.slice(`${from}-to-`.length)
}
