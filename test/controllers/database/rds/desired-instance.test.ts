import { describe, expect, it } from 'vitest'
import { desiredRdsInstance, instanceRemoval } from '../../../../src/controllers/database/rds/desired-instance.ts'
import type { RdsFacts } from '../../../../src/controllers/database/rds/instance-facts.ts'
import { instanceGate } from '../../../../src/controllers/database/rds/instance-gate.ts'
import type { ExternalReport } from '../../../../src/index.ts'
import { databaseObject, secret } from '../databases.ts'
import { rdsProvider } from './instances.ts'

const admin = { username: 'postgres', password: 'MasterPassword1', passwordID: 'p-1' }
const facts: RdsFacts = { credentials: { kind: 'ambient' }, admin }
const problem = { reason: 'SecretNotFound', message: 'Secret aws is missing' }
const stored = secret('crm-postgres-admin', { password: 'MasterPassword1' })
const onRds = (rds: object = {}, spec: object = {}) =>
  databaseObject({ version: '15', provider: { rds: rdsProvider(rds) }, ...spec })

describe('the desired instance of RDS', () => {
  it('is absent with another provider', () => {
    expect(
      desiredRdsInstance(databaseObject({ version: '15', provider: {} }), undefined, { adminSecret: undefined }),
    ).toEqual({
      kind: 'none',
    })
  })

  it('follows the spec, with a stable name', () => {
    const wish = desiredRdsInstance(onRds({ securityGroupIDs: ['sg-0a'], multiAZ: true }), facts, {
      adminSecret: stored,
    })
    expect(wish).toMatchObject({
      kind: 'wanted',
      externalName: expect.stringMatching(/^konverge-shop-/),
      desired: {
        access: { region: 'eu-central-1', credentials: { kind: 'ambient' } },
        version: '15',
        instanceClass: 'db.t4g.micro',
        allocatedStorageGiB: 20,
        multiAZ: true,
        deletionProtection: true,
        securityGroupIDs: ['sg-0a'],
        admin,
      },
      adopts: false,
      driftPolicy: 'Correct',
      recreatesIfMissing: false,
    })
  })

  it('has the name from the spec, if it has one', () => {
    expect(desiredRdsInstance(onRds({ instanceIdentifier: 'crm-2019' }), facts, { adminSecret: stored })).toMatchObject(
      {
        externalName: 'crm-2019',
      },
    )
  })

  it('leaves security groups unchanged when the spec names none', () => {
    expect(desiredRdsInstance(onRds({ securityGroupIDs: [] }), facts, { adminSecret: stored })).toMatchObject({
      desired: { securityGroupIDs: undefined },
    })
  })

  it.each([
    ['there is no Secret', undefined],
    ['the Secret has another password', secret('crm-postgres-admin', { password: 'OfAnotherTurn' })],
  ])('has a hold while %s', (_, secretOfTurn) => {
    expect(desiredRdsInstance(onRds(), facts, { adminSecret: secretOfTurn })).toMatchObject({
      kind: 'blocked',
      reason: 'SecretNotStored',
    })
  })

  it('is absent without credentials', () => {
    expect(desiredRdsInstance(onRds(), { ...facts, credentials: undefined, problem }, { adminSecret: stored })).toEqual(
      {
        kind: 'blocked',
        ...problem,
      },
    )
  })
})

describe('the deletion of an instance', () => {
  const unprotected = { deletionProtection: false }
  const abandoned = { 'konverge.dev/abandon-external': 'true' }

  it.each([
    ['Retain', {}, facts, { kind: 'keep', note: expect.stringContaining('instanceIdentifier konverge-shop-') }],
    ['Delete', {}, facts, { kind: 'blocked', reason: 'ProtectionEnabled' }],
    ['Snapshot', {}, facts, { kind: 'blocked', reason: 'ProtectionEnabled' }],
    ['Delete', unprotected, facts, { kind: 'remove', desired: { deletionProtection: false } }],
    ['Snapshot', unprotected, facts, { kind: 'remove', desired: { finalSnapshot: expect.stringMatching(/^final-/) } }],
    ['Delete', unprotected, undefined, { kind: 'blocked', reason: 'NotLookedUp' }],
    ['Delete', unprotected, { ...facts, credentials: undefined, problem }, { kind: 'blocked', ...problem }],
  ])('with the policy %s and %o', (deletionPolicy, rds, known, removal) => {
    expect(instanceRemoval(onRds(rds, { deletionPolicy }), known)).toMatchObject(removal)
  })

  it('takes no snapshot when none was requested', () => {
    const removal = instanceRemoval(onRds(unprotected, { deletionPolicy: 'Delete' }), facts)
    expect(removal.kind === 'remove' && removal.desired.finalSnapshot).toBeUndefined()
  })

  it('is skipped when the instance is abandoned', () => {
    const object = onRds({}, { deletionPolicy: 'Delete' })
    const metadata = { ...object.metadata, annotations: abandoned }
    expect(instanceRemoval({ ...object, metadata }, undefined)).toMatchObject({ kind: 'keep' })
  })
})

describe('the database on an instance', () => {
  const report = (state: ExternalReport['state'], reason: string): ExternalReport => ({
    ...{ name: 'instance', state, reason, message: 'as it is', drift: [], corrected: [] },
  })

  it.each([
    ['available', 'AsDesired', true],
    ['pending', 'ChangesPending', true],
    ['failed', 'AccessDenied', true],
    ['pending', 'Provisioning', false],
    ['notYetVisible', 'NotYetVisible', false],
    ['broken', 'Stopped', false],
    ['vanished', 'Vanished', false],
    ['notOwned', 'NotOwned', false],
    ['blocked', 'SecretNotStored', false],
    ['deleting', 'BeingDeleted', false],
  ] as const)('that is %s/%s continues: %s', (state, reason, goesOn) => {
    expect(instanceGate(report(state, reason))).toEqual(goesOn ? undefined : { reason, message: 'as it is' })
  })

  it('waits while the instance has not been observed', () => {
    expect(instanceGate(undefined)).toMatchObject({ reason: 'Creating' })
  })
})
