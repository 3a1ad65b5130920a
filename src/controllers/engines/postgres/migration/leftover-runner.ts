// Removes leftovers of an interrupted statement. Looks them up as the step's author, so that names resolve as in the
// step.
import type { Leftover } from './leftover.ts'
import { observeLeftover, removeLeftover } from './leftover.ts'
import type { StepLimits, TargetSession } from './target-session-client.ts'

export async function cleanLeftovers(
  session: TargetSession,
  leftovers: readonly Leftover[],
  limits: StepLimits,
): Promise<void> {
  if (leftovers.length === 0) return
  await session.becomeAuthor(limits)
  for (const leftover of leftovers) {
    const { rows } = await session.ask(observeLeftover(leftover))
    for (const row of rows) await session.run(removeLeftover(row), limits)
  }
  await session.fresh()
}
