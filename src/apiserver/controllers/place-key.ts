// Queue key of an object: its storage location as one string, and back.
import type { Place } from '../object-log.ts'

/** The separator is a space: none of the three parts contains one. */
export function placeKey({ shelf, namespace, name }: Place): string {
  return `${shelf} ${namespace} ${name}`
}

export function placeOfKey(key: string): Place {
  const [shelf = '', namespace = '', name = ''] = key.split(' ')
  return { shelf, namespace, name }
}
