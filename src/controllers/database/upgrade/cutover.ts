// May writers be interrupted now, so that applications can be led to the new server? Pure.
import type { DatabaseObject } from '../server-connection.ts'

/** Its value is the version that the upgrade goes to, so that it is no consent to the next one. */
export const cutoverAnnotation = 'data.konverge.dev/cutover'

/** For what is waited; undefined: now. */
export function cutoverWaitsFor({ metadata, spec }: DatabaseObject, to: string): string | undefined {
  if (spec.upgrade?.cutover === 'Automatic' || metadata.annotations?.[cutoverAnnotation] === to) return undefined
  return `the new server follows; annotate the Database with ${cutoverAnnotation}=${to} to lead applications there`
}
