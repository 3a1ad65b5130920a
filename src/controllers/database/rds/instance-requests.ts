// Requests to RDS, derived from the desired instance.
import type {
  CreateDBInstanceCommandInput,
  DeleteDBInstanceCommandInput,
  RestoreDBInstanceFromDBSnapshotCommandInput,
} from '@aws-sdk/client-rds'
import type { Token } from '../../../index.ts'
import type { DesiredInstance } from './instance.ts'
import { ownerTags, tagsOf } from './instance-tags.ts'

/** One request including tags. Invariant: the instance has its owner's tags from the start. */
export function creationRequest(
  identifier: string,
  token: Token,
  desired: DesiredInstance,
): CreateDBInstanceCommandInput {
  const { subnetGroupName, securityGroupIDs, admin } = desired
  return {
    DBInstanceIdentifier: identifier,
    Engine: 'postgres',
    EngineVersion: desired.version,
    DBInstanceClass: desired.instanceClass,
    AllocatedStorage: desired.allocatedStorageGiB,
    StorageType: 'gp3',
    StorageEncrypted: true,
    MultiAZ: desired.multiAZ,
    DeletionProtection: desired.deletionProtection,
    PubliclyAccessible: false,
    CopyTagsToSnapshot: true,
    MasterUsername: admin.username,
    MasterUserPassword: admin.password,
    ...(subnetGroupName === undefined ? {} : { DBSubnetGroupName: subnetGroupName }),
    ...(securityGroupIDs === undefined ? {} : { VpcSecurityGroupIds: [...securityGroupIDs] }),
    Tags: tagsOf(token, desired),
  }
}

/**
 * The restored instance has the snapshot's storage, version, encryption and master password. Differences are modified
 * afterwards, and it has no tag for the password yet.
 */
export function restorationRequest(
  identifier: string,
  token: Token,
  { restoredFrom, ...desired }: DesiredInstance & { readonly restoredFrom: string },
): RestoreDBInstanceFromDBSnapshotCommandInput {
  const { subnetGroupName, securityGroupIDs } = desired
  return {
    DBInstanceIdentifier: identifier,
    DBSnapshotIdentifier: restoredFrom,
    DBInstanceClass: desired.instanceClass,
    StorageType: 'gp3',
    MultiAZ: desired.multiAZ,
    DeletionProtection: desired.deletionProtection,
    PubliclyAccessible: false,
    CopyTagsToSnapshot: true,
    ...(subnetGroupName === undefined ? {} : { DBSubnetGroupName: subnetGroupName }),
    ...(securityGroupIDs === undefined ? {} : { VpcSecurityGroupIds: [...securityGroupIDs] }),
    Tags: ownerTags(token, desired),
  }
}

export function deletionRequest(identifier: string, { finalSnapshot }: DesiredInstance): DeleteDBInstanceCommandInput {
  return {
    DBInstanceIdentifier: identifier,
    ...(finalSnapshot === undefined
      ? { SkipFinalSnapshot: true }
      : { SkipFinalSnapshot: false, FinalDBSnapshotIdentifier: finalSnapshot }),
  }
}
