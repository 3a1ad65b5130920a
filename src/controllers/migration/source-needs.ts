// Source Databases of a migration and what it needs of each, from its steps and the markers; from the status until the
// markers are read. Pure.
import type { RecordedStep } from '../engines/recorded-step.ts'
import type { MigrationObject } from './desired-worker.ts'
import type { Need } from './migration-place.ts'
import { isInEffect } from './migration-state.ts'

export interface SourceNeed {
  /**
   * Database of the migration's own namespace: the worker mounts Secrets of servers, which other namespaces must not
   * get.
   */
  readonly name: string
  readonly need: Need
}

/** Sources of steps in their order, then sources that no step names any more. */
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
