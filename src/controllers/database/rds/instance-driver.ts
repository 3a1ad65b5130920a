// Driver of one Amazon RDS instance. Every method is idempotent: the name is constant, and RDS rejects a second
// instance with it. Invariant: a busy instance is not modified, and an instance counts as gone only once its final
// snapshot exists.
import type { DBInstance, DBSnapshot } from '@aws-sdk/client-rds'
import type {
  Consistency,
  ExternalCall,
  ExternalChange,
  ExternalDriver,
  ExternalTools,
  Observation,
} from '../../../index.ts'
import type { DesiredInstance, ObservedInstance } from './instance.ts'
import { instanceChanges, modificationOf } from './instance-changes.ts'
import { observationOf } from './instance-observation.ts'
import { creationRequest, deletionRequest, restorationRequest } from './instance-requests.ts'
import { instanceState } from './instance-state.ts'
import { tagsOf } from './instance-tags.ts'
import { ignoreNotFound, RdsClient, type RdsSend } from './rds-client.ts'
import type { RdsClientLoaderOptions } from './rds-client-loader.ts'
import { RdsError } from './rds-failure.ts'

type Call = ExternalCall<DesiredInstance>

const busyRecheckMs = 30_000

export class InstanceDriver implements ExternalDriver<DesiredInstance, ObservedInstance> {
  /** RDS guarantees no durations; AWS's own operator and Terraform wait up to an hour for an instance. */
  readonly consistency: Consistency = { visibilityDelayMs: 60_000, pollMs: 30_000, createTimeoutMs: 60 * 60_000 }
  readonly #rds: RdsClient

  constructor(tools: ExternalTools, options: RdsClientLoaderOptions = {}) {
    this.#rds = new RdsClient(tools, options)
  }

  async observe(call: Call): Promise<Observation<ObservedInstance>> {
    const described = await this.#describe(call)
    if (described !== undefined) return observationOf(described)
    const { finalSnapshot } = call.desired
    // An instance that was never observed leaves no snapshot.
    if (finalSnapshot !== undefined && call.providerID !== undefined) {
      const unfinished = unfinishedSnapshot(finalSnapshot, await this.#snapshot(call, finalSnapshot))
      if (unfinished !== undefined) return { kind: 'deleting', detail: unfinished }
    }
    return { kind: 'absent', proof: 'hint' }
  }

  async create(call: Call): Promise<void> {
    const { desired, externalName, token } = call
    const { restoredFrom } = desired
    if (restoredFrom !== undefined) {
      const restoration = restorationRequest(externalName, token, { ...desired, restoredFrom })
      await this.#call('RestoreDBInstanceFromDBSnapshot', call, (client, options) =>
        client.restoreDBInstanceFromDBSnapshot(restoration, options),
      )
      return
    }
    const request = creationRequest(externalName, token, desired)
    await this.#call('CreateDBInstance', call, (client, options) => client.createDBInstance(request, options))
  }

  differences(desired: DesiredInstance, observed: ObservedInstance): readonly ExternalChange[] {
    return instanceChanges(desired, observed)
  }

  async update(call: Call, observed: ObservedInstance, changes: readonly ExternalChange[]): Promise<void> {
    const tooOld = changes.find(({ reason }) => reason === 'VersionTooOld')
    if (tooOld !== undefined) throw versionTooOld(call, tooOld.message)
    const modification = modificationOf(call.desired, changes)
    if (modification !== undefined) {
      if (!observed.mayModify) throw busy(call, observed)
      const request = { DBInstanceIdentifier: call.externalName, ApplyImmediately: true, ...modification }
      await this.#call('ModifyDBInstance', call, (client, options) => client.modifyDBInstance(request, options))
    }
    // Last, because the password's tag says that RDS has accepted the password.
    const { owner, passwordID } = observed
    const isOurs = owner?.uid === call.token.uid
    if (isOurs && passwordID === call.desired.admin.passwordID) return
    const tags = { ResourceName: observed.arn, Tags: tagsOf(isOurs ? owner : call.token, call.desired) }
    await this.#call('AddTagsToResource', call, (client, options) => client.addTagsToResource(tags, options))
  }

  async delete(call: Call): Promise<void> {
    const described = await this.#describe(call)
    if (described === undefined) return
    const { desired, externalName } = call
    const { DBInstanceStatus: word = '', DeletionProtection: isProtected = false } = described
    if (desired.finalSnapshot !== undefined && instanceState(word).kind === 'broken') throw noSnapshot(call, word)
    if (isProtected && !desired.deletionProtection) {
      const request = { DBInstanceIdentifier: externalName, DeletionProtection: false, ApplyImmediately: true }
      await this.#call('ModifyDBInstance', call, (client, options) => client.modifyDBInstance(request, options))
    }
    const request = deletionRequest(externalName, desired)
    await this.#call('DeleteDBInstance', call, async (client, options) => {
      await client.deleteDBInstance(request, options).catch(ignoreNotFound)
    })
  }

  #describe(call: Call): Promise<DBInstance | undefined> {
    return this.#call('DescribeDBInstances', call, async (client, options) => {
      const request = { DBInstanceIdentifier: call.externalName }
      const answer = await client.describeDBInstances(request, options).catch(ignoreNotFound)
      return answer?.DBInstances?.[0]
    })
  }

  #snapshot(call: Call, name: string): Promise<DBSnapshot | undefined> {
    return this.#call('DescribeDBSnapshots', call, async (client, options) => {
      const answer = await client.describeDBSnapshots({ DBSnapshotIdentifier: name }, options).catch(ignoreNotFound)
      return answer?.DBSnapshots?.[0]
    })
  }

  #call<T>(operation: string, { namespace, desired, signal }: Call, send: RdsSend<T>): Promise<T> {
    const { access, admin } = desired
    return this.#rds.call(operation, { namespace, access, secrets: [admin.password], signal }, send)
  }
}

/**
 * Returns the progress of an unfinished snapshot; undefined if it is available. Throws if it is missing or has failed.
 */
function unfinishedSnapshot(name: string, snapshot: DBSnapshot | undefined): string | undefined {
  if (snapshot?.Status === 'available') return undefined
  if (snapshot === undefined) {
    const message = `the instance is gone and its snapshot ${name} is not to be found; see whether the data is safe, then let go of it with the annotation konverge.dev/abandon-external: "true"`
    throw new RdsError({ code: 'SnapshotMissing', message, remedy: 'retry' })
  }
  if (snapshot.Status === 'failed') {
    const message = `the instance is gone and its snapshot ${name} has failed; see whether the data is safe in another, then let go of it with the annotation konverge.dev/abandon-external: "true"`
    throw new RdsError({ code: 'SnapshotFailed', message, remedy: 'stop', retryAfterMs: 10 * 60_000 })
  }
  return `its snapshot ${name} is ${snapshot.Status}, ${snapshot.PercentProgress ?? 0} %`
}

function busy({ externalName }: Call, { state }: ObservedInstance): RdsError {
  const message = `${externalName} is ${state}; it is changed when that is over`
  return new RdsError({ code: 'InstanceBusy', message, remedy: 'retry', retryAfterMs: busyRecheckMs })
}

function versionTooOld({ externalName }: Call, difference: string): RdsError {
  const message = `${externalName} is not upgraded by us: ${difference}; upgrade it in RDS`
  return new RdsError({ code: 'VersionTooOld', message, remedy: 'stop', retryAfterMs: 10 * 60_000 })
}

function noSnapshot({ externalName }: Call, word: string): RdsError {
  const message = `no snapshot can be made of ${externalName}, as RDS says ${word}; mend it, or change spec.deletionPolicy to Delete or Retain`
  return new RdsError({ code: 'SnapshotImpossible', message, remedy: 'stop', retryAfterMs: 10 * 60_000 })
}
