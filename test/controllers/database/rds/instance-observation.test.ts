import { describe, expect, it } from 'vitest'
import { observationOf } from '../../../../src/controllers/database/rds/instance-observation.ts'
import { arn, describedInstance, observedInstance, token } from './instances.ts'

describe('the observation of an instance', () => {
  it('contains all fields', () => {
    expect(observationOf(describedInstance())).toEqual({
      kind: 'available',
      providerID: arn,
      owner: token,
      observed: observedInstance(),
    })
  })

  it('contains changes that RDS has accepted and not yet made', () => {
    const described = describedInstance({
      DBInstanceStatus: 'modifying',
      PendingModifiedValues: { DBInstanceClass: 'db.m5.large', AllocatedStorage: 40, MultiAZ: true },
    })
    expect(observationOf(described)).toMatchObject({
      kind: 'available',
      observed: {
        ...{ state: 'modifying', mayModify: false },
        ...{ instanceClass: 'db.m5.large', allocatedStorageGiB: 40, multiAZ: true },
      },
    })
  })

  it.each([
    [
      'creating',
      { Endpoint: undefined },
      { kind: 'pending', detail: 'RDS says creating', providerID: arn, owner: token },
    ],
    ['backing-up', { Endpoint: undefined }, { kind: 'pending', detail: 'RDS says backing-up' }],
    ['rebooting', {}, { kind: 'pending', detail: 'RDS says rebooting' }],
    ['deleting', {}, { kind: 'deleting', detail: 'RDS says deleting' }],
    [
      'stopped',
      {},
      {
        kind: 'broken',
        reason: 'Stopped',
        message: 'RDS says stopped: somebody has stopped it; start it in RDS',
        isTerminal: false,
        owner: token,
      },
    ],
    ['failed', {}, { kind: 'broken', reason: 'Failed', isTerminal: true }],
    ['storage-full', {}, { kind: 'available', observed: { mayModify: true, trouble: { reason: 'StorageFull' } } }],
  ])('maps the status %s', (word, own, observation) => {
    expect(observationOf(describedInstance({ DBInstanceStatus: word, ...own }))).toMatchObject(observation)
  })

  it('has no owner when the ownership tag is missing', () => {
    const described = describedInstance({ TagList: [{ Key: 'team', Value: 'crm' }] })
    expect(observationOf(described)).toMatchObject({ owner: undefined, observed: { passwordID: undefined } })
  })
})
