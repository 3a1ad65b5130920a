// Declarations that a real API server does not store as they were written: one for each row of what it is known to
// rewrite, and one edit of each that must be seen. Used against recorded answers and against a real server.
import { fileURLToPath } from 'node:url'
import type { LiveObject } from '../../src/object/object.ts'
import type { OddObject } from './odd-object.ts'
import { oddResources } from './odd-resources.ts'
import { oddWorkloads } from './odd-workloads.ts'

export const oddObjects: readonly OddObject[] = [...oddWorkloads, ...oddResources]

/** Where the answer of a real server to an apply of the normalized object is kept. */
export function recordedFile({ name }: OddObject): string {
  return fileURLToPath(new URL(`./recorded/${name.replaceAll(/[^a-z]+/gi, '-').toLowerCase()}.snap`, import.meta.url))
}

/** A server's answer without what is new each time. */
export function recordedText(live: LiveObject): string {
  const volatile = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'time', 'clusterIP', 'clusterIPs'])
  const scrubbed = (key: string, value: unknown): unknown =>
    volatile.has(key) ? (key === 'clusterIPs' ? ['*'] : '*') : value
  return `${JSON.stringify(live, scrubbed, 2)}\n`
}
