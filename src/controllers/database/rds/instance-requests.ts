// What is RDS asked for? The requests, from what an instance should be.
import type { CreateDBInstanceCommandInput, DeleteDBInstanceCommandInput } from '@aws-sdk/client-rds'
import type { Token } from '../../../index.ts'
import type { DesiredInstance } from './instance.ts'
import { tagsOf } from './instance-tags.ts'

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

export function deletionRequest(identifier: string, { finalSnapshot }: DesiredInstance): DeleteDBInstanceCommandInput {
  return {
    DBInstanceIdentifier: identifier,
    ...(finalSnapshot === undefined
      ? { SkipFinalSnapshot: true }
      : { SkipFinalSnapshot: false, FinalDBSnapshotIdentifier: finalSnapshot }),
  }
}
