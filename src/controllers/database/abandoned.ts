// Does somebody say that a Database is to be let go of, whatever becomes of what is outside the cluster? Pure.
import type { LiveObject } from '../../index.ts'

/** On a Database: what is outside the cluster is let go of, as it is. */
export const abandonAnnotation = 'konverge.dev/abandon-external'

export function isAbandoned({ metadata }: Pick<LiveObject, 'metadata'>): boolean {
  return metadata.annotations?.[abandonAnnotation] === 'true'
}
