// Runs an order: reviews the steps, opens the target, and starts the runner. Logs one line per event, without the text
// of steps.
import type { Clock, ExternalTools, SecretSource } from '../../index.ts'
import { openCopySource } from '../engines/postgres/migration/copy-source-client.ts'
import { takeMigrationTarget } from '../engines/postgres/migration/migration-target-client.ts'
import { loadSqlParser } from '../engines/postgres/review/parser-loader.ts'
import type { ServerAccess } from '../engines/server-access.ts'
import type { StepReviewer } from '../engines/step-review.ts'
import { reportOfError } from '../worker/termination-message.ts'
import type { MigrationEvent } from './migration-outcome.ts'
import { type Patience, runMigration } from './migration-runner.ts'
import type { OrderedDatabase, WorkerOrder } from './worker-order.ts'
import { reportOf, type WorkerReport } from './worker-report.ts'

export interface Work {
  readonly order: WorkerOrder
  /** Access to each database of the order, by its folder. */
  readonly accesses: ReadonlyMap<string, ServerAccess>
  readonly clock: Clock
  /** Source of passwords for logins that exist only during the run. */
  readonly secrets: SecretSource
  readonly log: ExternalTools['log']
  /** Reviews the steps within resource limits, so that a worker reports an excess instead of dying. */
  readonly review: StepReviewer
}

/** After a longer wait for a lock or a server, the run ends and reports it, and the Job starts another one. */
const patience: Patience = { lockWaitMs: 60_000, lockPollMs: 1_000, firstRetryMs: 500, maxLosses: 8 }

/** Returns the report of the run. Never rejects; the log has errors that the report must not contain. */
export async function workOnMigration(work: Work, signal: AbortSignal): Promise<WorkerReport> {
  try {
    return await carryOut(work, signal)
  } catch (error) {
    if (signal.aborted) return { outcome: 'Interrupted', reason: 'Ended', message: 'the worker was told to end' }
    work.log.error({ err: error }, 'the worker failed')
    return reportOfError(error)
  }
}

async function carryOut(
  { order: work, accesses, clock, secrets, log, review }: Work,
  signal: AbortSignal,
): Promise<WorkerReport> {
  const { migration, lock, target, sources, order, isRehearsed, requiresVerify, parting } = work
  const { findings } = await review(order.steps, { requiresVerify }, signal)
  const parser = await loadSqlParser()
  const accessTo = ({ folder }: OrderedDatabase): ServerAccess => {
    const access = accesses.get(folder)
    if (access === undefined) throw new Error(`there are no credentials in ${folder}`)
    return access
  }
  const applicationName = `konverge/migration/${migration}`.slice(0, 63)
  const placeOf = (known: OrderedDatabase) => {
    const { database, owner } = known
    return { access: accessTo(known), database, owner, applicationName, clock, secrets }
  }
  const options = {
    ...{ ...placeOf(target), migration, lock, parser },
    holder: `Migration ${migration}`,
    openSource: async (name: string, role: string, until: AbortSignal) => {
      const source = sources.find((known) => known.name === name)
      return source === undefined ? undefined : await openCopySource(placeOf(source), role, until)
    },
  }
  const outcome = await runMigration(
    {
      order,
      findings,
      isRehearsed,
      isParting: parting !== undefined,
      take: (until) => takeMigrationTarget(options, until),
      clock,
      patience,
      onNews: (news) => tell(log, news),
    },
    signal,
  )
  return reportOf(outcome)
}

function tell(log: Work['log'], { kind, ...fields }: MigrationEvent): void {
  if (kind === 'failed') log.error(fields, kind)
  else if (kind === 'lost') log.warn(fields, kind)
  else log.info(fields, kind)
}
