// Saga that moves a Database to a server of a newer version: its desired state and its steps.
import type { DatabaseSpec, DatabaseStatus } from '../../../../imports/wire/database.ts'
import { defineSaga, type ExternalTools, type Saga } from '../../../index.ts'
import type { DatabaseEngine } from '../../engines/engine.ts'
import { upgradePivot, upgradeSteps } from '../../upgrade/upgrade-steps.ts'
import type { DatabaseFacts } from '../database-facts.ts'
import { upgradeName } from '../server-sides.ts'
import { desiredUpgrade } from './desired-upgrade.ts'
import { UpgradeClient } from './upgrade-client.ts'

export function databaseUpgrade(
  engineOf: (tools: ExternalTools) => DatabaseEngine,
): Saga<DatabaseSpec, DatabaseStatus, DatabaseFacts> {
  return defineSaga<DatabaseSpec, DatabaseStatus, DatabaseFacts>({
    name: upgradeName,
    pivot: upgradePivot,
    retryAdvice: 'set spec.upgrade.retry to another word',
    steps: (tools) => upgradeSteps(new UpgradeClient({ tools, engine: engineOf(tools) })),
    desired: ({ object, facts, sagas }) =>
      desiredUpgrade({
        ...{ object, sides: facts.sides, restore: facts.restore?.record },
        ...{ others: facts.others?.names, unserved: facts.others?.unserved },
        record: sagas.find(({ name }) => name === upgradeName)?.record,
      }),
  })
}
