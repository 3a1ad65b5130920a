// Instances for tests: desired, observed, and as described by RDS.
import type { DBInstance } from '@aws-sdk/client-rds'
import type { DatabaseSpecProviderRds } from '../../../../imports/wire/database.ts'
import type { DesiredInstance, ObservedInstance } from '../../../../src/controllers/database/rds/instance.ts'
import { tagsOf } from '../../../../src/controllers/database/rds/instance-tags.ts'

export const token = { uid: '1b4e28ba-2fa1-11d2-883f-0016d3cca427', generation: 1 }
export const arn = 'arn:aws:rds:eu-central-1:123456789012:db:konverge-shop-crm-1b4e28ba'

export function desiredInstance(own: Partial<DesiredInstance> = {}): DesiredInstance {
  return {
    access: {
      region: 'eu-central-1',
      credentials: { kind: 'keys', accessKeyId: 'AKIATEST', secretAccessKey: 'aws-secret-key' },
    },
    version: '15',
    instanceClass: 'db.t4g.micro',
    allocatedStorageGiB: 20,
    multiAZ: false,
    deletionProtection: true,
    subnetGroupName: undefined,
    securityGroupIDs: ['sg-0a', 'sg-0b'],
    admin: { username: 'postgres', password: 'MasterPassword1', passwordID: 'p-1' },
    label: 'shop/crm',
    ...own,
  }
}

/** Matches `desiredInstance()`. */
export function observedInstance(own: Partial<ObservedInstance> = {}): ObservedInstance {
  return {
    arn,
    state: 'available',
    mayModify: true,
    trouble: undefined,
    owner: token,
    endpoint: { host: 'crm.abc.eu-central-1.rds.amazonaws.com', port: 5432 },
    engineVersion: '15.18',
    instanceClass: 'db.t4g.micro',
    allocatedStorageGiB: 20,
    multiAZ: false,
    deletionProtection: true,
    securityGroupIDs: ['sg-0b', 'sg-0a'],
    username: 'postgres',
    passwordID: 'p-1',
    ...own,
  }
}

/** RDS's description of `observedInstance()`. */
export function describedInstance(own: Partial<DBInstance> = {}): DBInstance {
  return {
    DBInstanceArn: arn,
    DBInstanceStatus: 'available',
    Endpoint: { Address: 'crm.abc.eu-central-1.rds.amazonaws.com', Port: 5432 },
    EngineVersion: '15.18',
    DBInstanceClass: 'db.t4g.micro',
    AllocatedStorage: 20,
    MultiAZ: false,
    DeletionProtection: true,
    VpcSecurityGroups: [
      { VpcSecurityGroupId: 'sg-0b', Status: 'active' },
      { VpcSecurityGroupId: 'sg-0a', Status: 'adding' },
      { VpcSecurityGroupId: 'sg-0c', Status: 'removing' },
    ],
    MasterUsername: 'postgres',
    TagList: tagsOf(token, desiredInstance()),
    ...own,
  }
}

/** As the API server returns it, here without a CA. */
export function rdsProvider(own: Partial<DatabaseSpecProviderRds> = {}): DatabaseSpecProviderRds {
  return {
    region: 'eu-central-1',
    instanceClass: 'db.t4g.micro',
    allocatedStorageGiB: 20,
    multiAZ: false,
    credentials: {},
    sslMode: 'require',
    deletionProtection: true,
    ...own,
  }
}
