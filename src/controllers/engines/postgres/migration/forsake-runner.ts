// Removes the replications that no step continues. It finds them by the leftovers recorded with the intent, and removes
// them from both servers. If the source is not known any more, it removes only the parts on the target.
import type { Clock } from '../../../../index.ts'
import { removeReplication } from '../../replication-runner.ts'
import { partName } from '../replication/replication-names.ts'
import type { CopySource } from './copy-source-client.ts'
import { endsOf, type Followed, type FollowPlace, followedIn, replicationId, subscriberOf } from './follow-plan.ts'
import { forgetLeftovers, forgetProgress, readAllLeftovers } from './mark-statements.ts'
import type { TargetSession } from './target-session-client.ts'

export interface ForsakeOptions {
  readonly session: TargetSession
  readonly place: FollowPlace
  readonly openSource: (name: string) => Promise<CopySource | undefined>
  readonly fenced: <T>(work: () => Promise<T>) => Promise<T>
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Steps that continue with their replication. */
  readonly kept: readonly { readonly name: string; readonly checksum: string }[]
  /** Keeps the record of leftovers on an unknown source. */
  readonly mayComeBack: boolean
}

/** Returns a sentence for each unknown source that keeps a part of a replication. */
export async function forsakeReplications(options: ForsakeOptions): Promise<readonly string[]> {
  const { session, place, fenced, kept, mayComeBack } = options
  const { migration } = place
  const left: string[] = []
  for (const { name, checksum, leftovers } of (await session.ask(readAllLeftovers(migration))).rows) {
    const source = followedIn(leftovers)
    if (source === undefined || name == null) continue
    if (kept.some((step) => step.name === name && step.checksum === checksum)) continue
    const remains = await removeFollowed({ step: name, source }, options)
    if (remains !== undefined) left.push(remains)
    if (remains === undefined || !mayComeBack) await fenced(() => session.ask(forgetLeftovers(name, migration)))
  }
  return left
}

async function removeFollowed(followed: Followed, options: ForsakeOptions): Promise<string | undefined> {
  const { session, place, openSource, fenced, clock, signal } = options
  const id = replicationId(place, followed)
  const source = await openSource(followed.source)
  // Precedes the removal: other clients may then fill the tables, and no attempt may empty them as if their rows were
  // its own.
  await fenced(() => session.ask(forgetProgress(followed.step, null, place.migration)))
  if (source === undefined) {
    await subscriberOf(place, { id, sourceDatabase: '' }).remove()
    return `the slot, the publication and the login ${partName(id)} are left in Database ${followed.source}, which is not known any more`
  }
  try {
    await source.takeOver(id)
    await removeReplication(endsOf(place, followed, source), { clock, signal })
  } finally {
    await source.close()
  }
  return undefined
}
