import { describe, expect, it } from 'vitest'
import { instanceChanges, modificationOf } from '../../../../src/controllers/database/rds/instance-changes.ts'
import { desiredInstance, observedInstance } from './instances.ts'

describe('an instance that is as desired', () => {
  it.each([
    ['and has its groups in another order', {}, {}],
    ['and a minor version', {}, { engineVersion: '15.4' }],
    ['and a newer major version, as AWS may force it', {}, { engineVersion: '16.1' }],
    ['and more storage, as RDS may have grown it', {}, { allocatedStorageGiB: 100 }],
    ['and groups that nobody asked about', { securityGroupIDs: undefined }, { securityGroupIDs: ['sg-0f'] }],
    ['and another user, as an adopted one may have', {}, { username: 'root' }],
  ])('%s, is left alone', (_, desired, observed) => {
    expect(instanceChanges(desiredInstance(desired), observedInstance(observed))).toEqual([])
  })
})

describe('an instance that differs', () => {
  it.each([
    [
      'InstanceClassChanged',
      'its class is db.m5.large, not db.t4g.micro',
      { instanceClass: 'db.m5.large' },
      { DBInstanceClass: 'db.t4g.micro' },
    ],
    ['StorageTooSmall', 'its storage has 19 GiB, not 20', { allocatedStorageGiB: 19 }, { AllocatedStorage: 20 }],
    ['MultiAZChanged', 'it has a standby that it should not have', { multiAZ: true }, { MultiAZ: false }],
    [
      'DeletionProtectionChanged',
      'it is not protected from deletion',
      { deletionProtection: false },
      { DeletionProtection: true },
    ],
    [
      'SecurityGroupsChanged',
      'its security groups are sg-0a, not sg-0a, sg-0b',
      { securityGroupIDs: ['sg-0a'] },
      { VpcSecurityGroupIds: ['sg-0a', 'sg-0b'] },
    ],
    [
      'PasswordOutdated',
      'its master password is not the one in the Secret',
      { passwordID: 'p-0' },
      { MasterUserPassword: 'MasterPassword1' },
    ],
    ['VersionTooOld', 'it runs PostgreSQL 14.9, not 15', { engineVersion: '14.9' }, undefined],
  ])('is reported by %s', (reason, message, observed, modification) => {
    const changes = instanceChanges(desiredInstance(), observedInstance(observed))
    expect(changes).toEqual([{ reason, message, isWished: reason === 'PasswordOutdated' }])
    expect(modificationOf(desiredInstance(), changes)).toEqual(modification)
  })

  it('in several ways is corrected by one modification', () => {
    const observed = observedInstance({ multiAZ: true, instanceClass: 'db.m5.large' })
    const changes = instanceChanges(desiredInstance(), observed)
    expect(changes).toHaveLength(2)
    expect(modificationOf(desiredInstance(), changes)).toEqual({ MultiAZ: false, DBInstanceClass: 'db.t4g.micro' })
  })

  it('is corrected only in what is due', () => {
    const observed = observedInstance({ multiAZ: true, passwordID: undefined })
    const due = instanceChanges(desiredInstance(), observed).filter(({ isWished }) => isWished)
    expect(modificationOf(desiredInstance(), due)).toEqual({ MasterUserPassword: 'MasterPassword1' })
    expect(modificationOf(desiredInstance(), [{ reason: 'MarkMissing' }])).toBeUndefined()
  })

  it('is described without its password', () => {
    const changes = instanceChanges(desiredInstance(), observedInstance({ passwordID: undefined }))
    expect(JSON.stringify(changes)).not.toContain('MasterPassword1')
  })
})
