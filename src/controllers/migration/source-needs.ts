// Which Databases does a migration have something to do with besides its own, and what does it need of each? Read from its steps, and from
// the marks, or from what was told of them until they are read. Pure.
import type { RecordedStep } from '../engines/recorded-step.ts'
import type { Need } from './migration-place.ts'
import { isInEffect } from './migration-standing.ts'
import type { MigrationObject } from './worker-wish.ts'

export interface SourceNeed {
  /** Of a Database of the migration's own namespace: the worker mounts the Secrets of servers, which must not get to guests. */
  readonly name: string
  readonly need: Need
}

/** First those that steps name, in their order; then those that none names any more. */
export function sourceNeeds(
  { metadata: { namespace: home = 'default' }, spec, status }: MigrationObject,
  record: readonly RecordedStep[] | undefined,
): readonly SourceNeed[] {
  const told = record ?? status?.steps ?? []
  const followed = record?.map((mark) => mark.followed) ?? status?.steps?.map(({ source }) => source) ?? []
  const begun = followed.flatMap((source) => (source?.startsWith(`${home}/`) ? source.slice(home.length + 1) : []))
  const isOpen = (step: string) => !told.some(({ name, state }) => name === step && isInEffect(state))
  const isToCopy = (source: string) => spec.steps.some(({ name, copy }) => copy?.from.name === source && isOpen(name))
  const names = new Set([...spec.steps.flatMap(({ copy }) => copy?.from.name ?? []), ...begun])
  return [...names].map((name) => ({
    name,
    need: isToCopy(name) ? 'rows' : begun.includes(name) ? 'parts' : 'nothing',
  }))
}
