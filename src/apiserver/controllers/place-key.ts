// How does a controller write down where an object is? A place as one string, and back.
import type { Place } from '../object-log.ts'

/** Shelves, namespaces and names hold no blank. */
export function placeKey({ shelf, namespace, name }: Place): string {
  return `${shelf} ${namespace} ${name}`
}

export function placeOfKey(key: string): Place {
  const [shelf = '', namespace = '', name = ''] = key.split(' ')
  return { shelf, namespace, name }
}
