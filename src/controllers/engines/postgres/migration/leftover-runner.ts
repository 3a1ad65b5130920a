// How is what an interrupted statement left behind removed? Looked for as the author of the step would name it, and removed.
import type { Leftover } from './leftover.ts'
import { lookForLeftover, removeLeftover } from './leftover.ts'
import type { StepLimits, TargetSession } from './target-session-client.ts'

export async function cleanLeftovers(
  session: TargetSession,
  leftovers: readonly Leftover[],
  limits: StepLimits,
): Promise<void> {
  if (leftovers.length === 0) return
  await session.becomeAuthor(limits)
  for (const leftover of leftovers) {
    const { rows } = await session.ask(lookForLeftover(leftover))
    for (const row of rows) await session.run(removeLeftover(row), limits)
  }
  await session.fresh()
}
