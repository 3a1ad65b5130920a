// Abandonment: a user lets a resource go without its external resources. Invariant: only the value "true" means it. Pure.
import type { LiveObject } from '../../index.ts'

/** On a Database, DatabaseUser, Backup or Migration: its deletion leaves its external resources as they are. */
export const abandonAnnotation = 'konverge.dev/abandon-external'

export function isAbandoned({ metadata }: Pick<LiveObject, 'metadata'>): boolean {
  return metadata.annotations?.[abandonAnnotation] === 'true'
}
