// Declarations that a real API server stores in another form: one for each known rewrite, with one edit each that the
// comparison must find. Used with recorded responses and with a real server.
import { fileURLToPath } from 'node:url'
import type { LiveObject } from '../../src/object/object.ts'
import type { OddObject } from './odd-object.ts'
import { oddResources } from './odd-resources.ts'
import { oddWorkloads } from './odd-workloads.ts'

export const oddObjects: readonly OddObject[] = [...oddWorkloads, ...oddResources]

/** Returns the file with the response of a real server to an apply of the normalized object. */
export function recordedFile({ name }: OddObject): string {
  return fileURLToPath(new URL(`./recorded/${name.replaceAll(/[^a-z]+/gi, '-').toLowerCase()}.snap`, import.meta.url))
}

/** Returns a server's response without values that differ each time. */
export function recordedText(live: LiveObject): string {
  const volatile = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'time', 'clusterIP', 'clusterIPs'])
  const scrubbed = (key: string, value: unknown): unknown =>
    volatile.has(key) ? (key === 'clusterIPs' ? ['*'] : '*') : value
  return `${JSON.stringify(live, scrubbed, 2)}\n`
}
