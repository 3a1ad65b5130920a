// Differences of an RDS instance from its desired state, one property per row, and the modification that corrects each.
// A value that RDS has accepted counts as applied, so each change is requested once.
import type { ModifyDBInstanceCommandInput } from '@aws-sdk/client-rds'
import type { ExternalChange } from '../../../index.ts'
import { type DesiredInstance, majorOf, type ObservedInstance } from './instance.ts'

type Modification = Partial<Omit<ModifyDBInstanceCommandInput, 'DBInstanceIdentifier'>>

interface Property {
  readonly reason: string
  differs(desired: DesiredInstance, observed: ObservedInstance): boolean
  message(desired: DesiredInstance, observed: ObservedInstance): string
  modification(desired: DesiredInstance): Modification
  /** Applied without a new generation, and no drift. */
  readonly isWished?: boolean
}

const properties: readonly Property[] = [
  {
    reason: 'InstanceClassChanged',
    differs: (desired, observed) => desired.instanceClass !== observed.instanceClass,
    message: (desired, observed) => `its class is ${observed.instanceClass}, not ${desired.instanceClass}`,
    modification: ({ instanceClass }) => ({ DBInstanceClass: instanceClass }),
  },
  {
    reason: 'StorageTooSmall',
    differs: (desired, observed) => desired.allocatedStorageGiB > observed.allocatedStorageGiB,
    message: (desired, observed) =>
      `its storage has ${observed.allocatedStorageGiB} GiB, not ${desired.allocatedStorageGiB}`,
    modification: ({ allocatedStorageGiB }) => ({ AllocatedStorage: allocatedStorageGiB }),
  },
  {
    reason: 'MultiAZChanged',
    differs: (desired, observed) => desired.multiAZ !== observed.multiAZ,
    message: ({ multiAZ }) => (multiAZ ? 'it has no standby' : 'it has a standby that it should not have'),
    modification: ({ multiAZ }) => ({ MultiAZ: multiAZ }),
  },
  {
    reason: 'DeletionProtectionChanged',
    differs: (desired, observed) => desired.deletionProtection !== observed.deletionProtection,
    message: ({ deletionProtection }) =>
      deletionProtection ? 'it is not protected from deletion' : 'it is protected from deletion, and should not be',
    modification: ({ deletionProtection }) => ({ DeletionProtection: deletionProtection }),
  },
  {
    reason: 'SecurityGroupsChanged',
    differs: ({ securityGroupIDs }, observed) =>
      securityGroupIDs !== undefined && !isSameSet(securityGroupIDs, observed.securityGroupIDs),
    message: ({ securityGroupIDs = [] }, observed) =>
      `its security groups are ${listed(observed.securityGroupIDs)}, not ${listed(securityGroupIDs)}`,
    modification: ({ securityGroupIDs = [] }) => ({ VpcSecurityGroupIds: [...securityGroupIDs] }),
  },
  {
    reason: 'PasswordOutdated',
    differs: ({ admin }, observed) => admin.passwordID !== observed.passwordID,
    message: () => 'its master password is not the one in the Secret',
    modification: ({ admin }) => ({ MasterUserPassword: admin.password }),
    isWished: true,
  },
  {
    reason: 'VersionTooOld',
    differs: (desired, observed) => majorOf(observed.engineVersion) < majorOf(desired.version),
    message: (desired, observed) => `it runs PostgreSQL ${observed.engineVersion}, not ${desired.version}`,
    // The operator does not upgrade instances; the driver rejects this difference.
    modification: () => ({}),
  },
]

export function instanceChanges(desired: DesiredInstance, observed: ObservedInstance): readonly ExternalChange[] {
  return properties
    .filter(({ differs }) => differs(desired, observed))
    .map(({ reason, message, isWished = false }) => ({ reason, message: message(desired, observed), isWished }))
}

/** Returns undefined if no modification corrects these changes. */
export function modificationOf(
  desired: DesiredInstance,
  changes: readonly Pick<ExternalChange, 'reason'>[],
): Modification | undefined {
  const parts = properties
    .filter(({ reason }) => changes.some((change) => change.reason === reason))
    .map(({ modification }) => modification(desired))
  const whole: Modification = Object.assign({}, ...parts)
  return Object.keys(whole).length === 0 ? undefined : whole
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((id) => right.includes(id))
}

function listed(ids: readonly string[]): string {
  return ids.length === 0 ? 'none' : [...ids].sort().join(', ')
}
