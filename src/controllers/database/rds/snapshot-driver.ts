// External driver of a snapshot of an RDS instance. Every method is idempotent: the name is constant, and RDS rejects a
// second snapshot with it.
import type {
  Consistency,
  ExternalCall,
  ExternalChange,
  ExternalDriver,
  ExternalTools,
  Observation,
} from '../../../index.ts'
import { ignoreNotFound, RdsClient, type RdsSend } from './rds-client.ts'
import type { RdsClientLoaderOptions } from './rds-client-loader.ts'
import { RdsError } from './rds-failure.ts'
import type { DesiredSnapshot, ObservedSnapshot } from './snapshot.ts'
import { snapshotObservation } from './snapshot-observation.ts'
import { snapshotTags } from './snapshot-tags.ts'

type Call = ExternalCall<DesiredSnapshot>

export class SnapshotDriver implements ExternalDriver<DesiredSnapshot, ObservedSnapshot> {
  /** The Backup has its own deadline; a week is effectively unlimited here. */
  readonly consistency: Consistency = {
    visibilityDelayMs: 60_000,
    pollMs: 30_000,
    createTimeoutMs: 7 * 24 * 60 * 60_000,
  }
  readonly #rds: RdsClient

  constructor(tools: ExternalTools, options: RdsClientLoaderOptions = {}) {
    this.#rds = new RdsClient(tools, options)
  }

  async observe(call: Call): Promise<Observation<ObservedSnapshot>> {
    const described = await this.#call('DescribeDBSnapshots', call, async (client, options) => {
      const request = { DBSnapshotIdentifier: call.externalName }
      const answer = await client.describeDBSnapshots(request, options).catch(ignoreNotFound)
      return answer?.DBSnapshots?.[0]
    })
    return described === undefined ? { kind: 'absent', proof: 'hint' } : snapshotObservation(described)
  }

  async create(call: Call): Promise<void> {
    const { desired, token, externalName } = call
    const request = {
      DBSnapshotIdentifier: externalName,
      DBInstanceIdentifier: desired.source.instance,
      Tags: snapshotTags(token, desired),
    }
    try {
      await this.#call('CreateDBSnapshot', call, (client, options) => client.createDBSnapshot(request, options))
    } catch (thrown) {
      if (!(thrown instanceof RdsError) || thrown.code !== 'SnapshotNameTaken') throw thrown
      throw new RdsError({ code: 'AlreadyExists', message: thrown.message, remedy: 'retry' })
    }
  }

  /** A snapshot is immutable. */
  differences(): readonly ExternalChange[] {
    return []
  }

  /** Restores removed tags. */
  async update(call: Call, observed: ObservedSnapshot): Promise<void> {
    const request = { ResourceName: observed.arn, Tags: snapshotTags(call.token, call.desired) }
    await this.#call('AddTagsToResource', call, (client, options) => client.addTagsToResource(request, options))
  }

  async delete(call: Call): Promise<void> {
    const request = { DBSnapshotIdentifier: call.externalName }
    await this.#call('DeleteDBSnapshot', call, async (client, options) => {
      await client.deleteDBSnapshot(request, options).catch(ignoreNotFound)
    })
  }

  #call<T>(operation: string, { namespace, desired: { access }, signal }: Call, send: RdsSend<T>): Promise<T> {
    return this.#rds.call(operation, { namespace, access, secrets: [], signal }, send)
  }
}
