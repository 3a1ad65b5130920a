// Implements the upgrade's steps on the two servers of a Database in the cluster.
import { tmpdir } from 'node:os'
import type { ExternalTools } from '../../../index.ts'
import type { DatabaseEngine, DatabaseServer } from '../../engines/engine.ts'
import { postgresLogicalEngine } from '../../engines/postgres/logical/logical-driver.ts'
import { PublisherClient } from '../../engines/postgres/replication/publisher-client.ts'
import { partName } from '../../engines/postgres/replication/replication-names.ts'
import { SubscriberClient } from '../../engines/postgres/replication/subscriber-client.ts'
import { WriteFreezeClient } from '../../engines/postgres/write-freeze-client.ts'
import type { ReplicationTask } from '../../engines/replication-runner.ts'
import type { WriteFreeze } from '../../engines/write-freeze.ts'
import { compareSides } from '../../upgrade/comparison-runner.ts'
import { filledFrom } from '../../upgrade/new-side-worker.ts'
import type { Filling, MoveMethod, Traffic, UpgradeWorld } from '../../upgrade/upgrade-world.ts'
import { CreateSnapshotStep } from './create-snapshot-step.ts'
import { cutoverWaitsFor } from './cutover.ts'
import { DatabaseTraffic } from './database-traffic-client.ts'
import { FillingByJob } from './filling-client.ts'
import { ProvisionNewStep } from './provision-new-step.ts'
import {
  addressOf,
  callerOf,
  databaseOf,
  lagLimit,
  methodOf,
  orderOf,
  sideAccess,
  sidesOf,
  tokenOf,
  type UpgradeCall,
  type UpgradeResource,
  upgradeIdOf,
} from './upgrade-resource.ts'

export interface UpgradeClientOptions {
  readonly tools: ExternalTools
  readonly engine: DatabaseEngine
}

export class UpgradeClient implements UpgradeWorld<UpgradeResource> {
  readonly createSnapshot = new CreateSnapshotStep()
  readonly provisionNew: ProvisionNewStep
  readonly newServerGoes = true
  readonly filling: Filling<UpgradeResource>
  readonly traffic: Traffic<UpgradeResource>
  readonly #options: UpgradeClientOptions

  constructor(options: UpgradeClientOptions) {
    this.#options = options
    this.provisionNew = new ProvisionNewStep((call) => this.#server(call, 'next'))
    this.filling = new FillingByJob((call) => this.#server(call, 'next'))
    this.traffic = new DatabaseTraffic(options.engine)
  }

  method(call: UpgradeCall): MoveMethod {
    return methodOf(call)
  }

  replication(call: UpgradeCall): ReplicationTask {
    const [database, id, token] = [databaseOf(call), upgradeIdOf(call), tokenOf(call)]
    const end = { database, id, token }
    const target = { ...end, sourceDatabase: database, majorVersion: Number(sidesOf(call).next.version) }
    const subscriber = () => new SubscriberClient(this.#server(call, 'next'), target)
    return {
      publisher: new PublisherClient(this.#server(call, 'old'), end),
      // A getter, because during a rollback the target server may not exist any more.
      get subscriber() {
        return subscriber()
      },
      token,
      filledFrom: () => filledFrom(orderOf(call), this.#server(call, 'next')),
      ...addressOf(call),
    }
  }

  mayLagBytes({ object }: UpgradeCall): bigint | undefined {
    return lagLimit(object)
  }

  writers(call: UpgradeCall): WriteFreeze {
    const spared = [partName(upgradeIdOf(call))]
    return new WriteFreezeClient(this.#server(call, 'old'), { database: databaseOf(call), spared })
  }

  cutoverWaitsFor(call: UpgradeCall): string | undefined {
    return cutoverWaitsFor(call.object, call)
  }

  async differences(call: UpgradeCall): Promise<readonly string[]> {
    const { tools, engine } = this.#options
    const { clock } = tools
    // The comparison needs no tool and no folder.
    const logical = postgresLogicalEngine({ clock, places: { versions: '', folders: [] }, workFolder: tmpdir() })
    const sides = { old: sideAccess(call, 'old'), new: sideAccess(call, 'next') }
    return await compareSides(orderOf(call), { engine, logical, ...sides }, call.signal)
  }

  #server(call: UpgradeCall, which: 'old' | 'next'): DatabaseServer {
    return this.#options.engine.server(sideAccess(call, which), { caller: callerOf(call), signal: call.signal })
  }
}
