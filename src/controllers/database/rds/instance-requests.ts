// What is RDS asked for? The requests, from what an instance should be.
import type {
  CreateDBInstanceCommandInput,
  DeleteDBInstanceCommandInput,
  RestoreDBInstanceFromDBSnapshotCommandInput,
} from '@aws-sdk/client-rds'
import type { Token } from '../../../index.ts'
import type { DesiredInstance } from './instance.ts'
import { ownerTags, tagsOf } from './instance-tags.ts'

/** All of it in one request, tags included: there is no instance, at no moment, that does not say whose it is. */
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
 * The restored one has the storage, the version, the encryption and the master password of what was saved: what of that is to be otherwise is modified
 * after it, and no tag says that it has our password.
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
