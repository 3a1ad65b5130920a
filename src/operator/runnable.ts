// A runnable: work of the author's own that goes on while this process leads. Pure.
import { assert } from '../base/assert.ts'
import type { Log } from '../base/instrument.ts'
import type { OperatorClient } from '../kube/operator-client.ts'
import type { Right } from '../object/right.ts'

export interface RunnableContext {
  /** Ends with `signal`. Its field manager is `<operator>-client:<runnable>`. */
  readonly client: OperatorClient
  /** Those that the operator serves, and the rights of the runnable hold in; undefined: all. */
  readonly namespaces: readonly string[] | undefined
  /** Aborts when the operator stops or leads no more: the runnable then has 5 s to end. */
  readonly signal: AbortSignal
  /** The operator's log, with the name of the runnable on each line. */
  readonly log: Log
}

/**
 * Work that is begun when this process leads, at once where replicas elect no leader, and aborted at the end. One that returns is done. One that
 * throws is begun again after 5 s to 5 min.
 */
export interface Runnable {
  /** Identifies it in log, metrics and field managers: a DNS label, unique in the operator. */
  readonly name: string
  /** What its requests may do, for `rightsOf`. Default: nothing. */
  readonly rights?: readonly Right[]
  run(context: RunnableContext): Promise<void>
}

const maxNameLength = 63

/** Asserts that each has a name of its own that can be one. */
export function assertNames(runnables: readonly Runnable[]): void {
  const names = new Set<string>()
  for (const { name } of runnables) {
    const isLabel = name.length <= maxNameLength && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)
    assert(isLabel, `a runnable has a DNS label as its name, and '${name}' is none`)
    assert(!names.has(name), `runnables have different names; rename one of those called '${name}'`)
    names.add(name)
  }
}
