// Observation of an instance from RDS's description: its state, owner and settings. Changes that RDS has accepted count
// as applied.
import type { DBInstance } from '@aws-sdk/client-rds'
import type { Observation } from '../../../index.ts'
import type { ObservedInstance } from './instance.ts'
import { instanceState } from './instance-state.ts'
import { ownerIn, passwordIDIn } from './instance-tags.ts'

export function observationOf(described: DBInstance): Observation<ObservedInstance> {
  const { DBInstanceStatus: word = 'unknown', DBInstanceArn: providerID = '', Endpoint: endpoint } = described
  const owner = ownerIn(described.TagList)
  const state = instanceState(word)
  if (state.kind === 'deleting') return { kind: 'deleting', detail: `RDS says ${word}` }
  if (state.kind === 'broken') {
    const { reason, advice } = state.trouble
    const message = `RDS says ${word}: ${advice}`
    return { kind: 'broken', owner, reason, message, isTerminal: state.isTerminal }
  }
  // An instance has no endpoint before its first backup is complete.
  const { Address: host, Port: port } = endpoint ?? {}
  if (state.kind === 'working' || host === undefined || port === undefined) {
    return { kind: 'pending', providerID, owner, detail: `RDS says ${word}` }
  }
  const observed = observedInstance(described, { host, port })
  return { kind: 'available', providerID, owner, observed }
}

function observedInstance(described: DBInstance, endpoint: ObservedInstance['endpoint']): ObservedInstance {
  const { DBInstanceStatus: word = '', PendingModifiedValues: coming = {}, TagList: tags } = described
  const state = instanceState(word)
  return {
    arn: described.DBInstanceArn ?? '',
    state: word,
    mayModify: state.kind === 'serving' && state.mayModify,
    trouble: state.kind === 'serving' ? state.trouble : undefined,
    owner: ownerIn(tags),
    endpoint,
    engineVersion: described.EngineVersion ?? '',
    instanceClass: coming.DBInstanceClass ?? described.DBInstanceClass ?? '',
    allocatedStorageGiB: coming.AllocatedStorage ?? described.AllocatedStorage ?? 0,
    multiAZ: coming.MultiAZ ?? described.MultiAZ ?? false,
    deletionProtection: described.DeletionProtection ?? false,
    securityGroupIDs: securityGroupsOf(described),
    username: described.MasterUsername ?? '',
    passwordID: passwordIDIn(tags),
  }
}

/** Returns the groups that the instance has or is about to get. */
function securityGroupsOf({ VpcSecurityGroups: groups = [] }: DBInstance): readonly string[] {
  return groups.flatMap(({ VpcSecurityGroupId: id, Status: status }) =>
    id === undefined || status === 'removing' ? [] : [id],
  )
}
