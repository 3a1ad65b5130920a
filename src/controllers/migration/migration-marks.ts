// Applied markers of a migration, as its external resource. The operator observes them every few minutes, when a worker
// starts or ends, and more often while one runs. They stay after the Migration is deleted, as the applied changes do.
import type { MigrationSpec, MigrationStatus } from '../../../imports/wire/migration.ts'
import {
  type DesiredExternal,
  defineExternal,
  type ExternalContext,
  type ExternalRemoval,
  type ExternalTools,
} from '../../index.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import { callerOf, migrationName } from './desired-worker.ts'
import { type DesiredMarks, MarkDriver } from './mark-driver.ts'
import type { MigrationFacts } from './migration-facts.ts'

export function migrationMarks(engineFor: (tools: ExternalTools) => DatabaseEngine) {
  return defineExternal({
    name: 'marks',
    driver: (tools: ExternalTools) => new MarkDriver(engineFor(tools)),
    desired: desiredMarks,
    removal: (): ExternalRemoval<DesiredMarks> => ({
      kind: 'keep',
      note: 'what was applied stays in the database, and so do the marks that say so',
    }),
  })
}

function desiredMarks({
  object,
  facts,
}: ExternalContext<MigrationSpec, MigrationStatus, MigrationFacts>): DesiredExternal<DesiredMarks> {
  const { problem, target, occasion } = facts
  if (target === undefined) {
    const { reason, message } = problem ?? { reason: 'DatabaseNotReady', message: 'no database is known' }
    return { kind: 'blocked', reason, message }
  }
  const { access, database } = target
  return {
    kind: 'wanted',
    externalName: object.metadata.name,
    desired: { access, caller: callerOf(object), database, migration: migrationName(object), occasion },
  }
}
