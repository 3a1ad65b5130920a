// Runnable: background task of a program, which runs while this process leads. Pure.
import { assert } from '../base/assert.ts'
import type { Log } from '../base/instrument.ts'
import type { OperatorClient } from '../kube/operator-client.ts'
import type { Right } from '../object/right.ts'

/** Input of a runnable's `run`. */
export interface RunnableContext {
  /** Client of the cluster, usable until `signal` aborts. Its field manager is `<operator>-client:<runnable>`. */
  readonly client: OperatorClient
  /** Namespaces that the operator serves, where the runnable's rights hold; undefined: all. */
  readonly namespaces: readonly string[] | undefined
  /** Aborts when the operator stops or loses its Lease. The runnable then has 5 s to end. */
  readonly signal: AbortSignal
  /** Log of the operator; each line has the name of the runnable. */
  readonly log: Log
}

/**
 * Background task. It starts when this process becomes the leader, or at once without leader election, and is aborted
 * at the end. A task that returns is done. A task that throws restarts after 5 s to 5 min.
 *
 * @example
 * const report: Runnable = {
 *   name: 'report',
 *   rights: [{ resource: Website, verbs: ['list', 'watch'] }],
 *   run: async ({ client, log }) => {
 *     for await (const event of client.watch(Website, { namespace: 'shop' })) log.info({ kind: event.kind }, 'website')
 *   },
 * }
 */
export interface Runnable {
  /** Name of the runnable in log, metrics and field managers: a DNS label, unique in the operator. */
  readonly name: string
  /** Rights of its requests, for `rightsOf`. Default: none. */
  readonly rights?: readonly Right[]
  /** Does the work. Must end soon after `context.signal` aborts. */
  run(context: RunnableContext): Promise<void>
}

const maxNameLength = 63

/** Asserts that each runnable has a valid, unique name. */
export function assertNames(runnables: readonly Runnable[]): void {
  const names = new Set<string>()
  for (const { name } of runnables) {
    const isLabel = name.length <= maxNameLength && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)
    assert(isLabel, `a runnable has a DNS label as its name, and '${name}' is none`)
    assert(!names.has(name), `runnables have different names; rename one of those called '${name}'`)
    names.add(name)
  }
}
