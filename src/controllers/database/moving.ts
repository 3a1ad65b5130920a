// Is a Database on its move to another server, so that nobody but its upgrade changes what is in it? Read from its status. Pure.
import type { DatabaseStatus } from '../../../imports/wire/database.ts'

/** Why others wait, in a phrase for people; undefined: it does not move. */
export function moveOf(status: DatabaseStatus | undefined): string | undefined {
  const { state, from, to, step, progress } = status?.upgrade ?? {}
  // The backup before it is a backup as any other.
  if (step === 'CreateSnapshot') return undefined
  if (state !== 'Running' && state !== 'AwaitingCutover' && state !== 'Compensating') return undefined
  const at = progress === undefined ? '' : ` (${progress})`
  return state === 'Compensating'
    ? `is being led back to its server of version ${from}${at}`
    : `moves from version ${from} to ${to}${at}`
}
