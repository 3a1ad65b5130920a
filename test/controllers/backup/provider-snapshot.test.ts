// The desired snapshot of a Backup, and its removal. Invariant: no request without the credentials, and no removal
// unless the policy is Delete.
import { describe, expect, it } from 'vitest'
import type { BackupFacts } from '../../../src/controllers/backup/backup-loader.ts'
import type { BackupObject } from '../../../src/controllers/backup/desired-work.ts'
import { desiredProviderSnapshot, snapshotRemoval } from '../../../src/controllers/backup/provider-snapshot.ts'
import { snapshotIdentifier } from '../../../src/controllers/database/rds/instance-name.ts'

const uid = '1b4e28ba-2fa1-11d2-883f-0016d3cca427'
const source = { instance: 'i', database: 'shop/crm', databaseUID: 'd', databaseName: 'crm', systemIdentifier: '7' }
const access = { region: 'eu-central-1', credentials: { kind: 'ambient' } } as const
const snapshot = { ...source, region: 'eu-central-1' }
const known: BackupFacts = { kind: 'provider', snapshot, access, problem: undefined }
const problem = { kind: 'waiting', reason: 'SecretNotFound', message: 'Secret aws is missing' } as const
const externalName = `konverge-shop-once-${uid}`

function backup(artifactPolicy: 'Retain' | 'Delete' = 'Delete'): BackupObject {
  const metadata = { name: 'once', namespace: 'shop', uid }
  return { metadata, spec: { artifactPolicy }, status: { snapshot } } as unknown as BackupObject // The test reads these fields only.
}

describe('the desired snapshot of a Backup', () => {
  it('is one snapshot of the instance, with a name of its own', () => {
    expect(desiredProviderSnapshot(backup(), known)).toEqual({
      kind: 'wanted',
      externalName,
      desired: { access, source, label: 'shop/once' },
    })
  })

  it('is absent for other methods', () => {
    expect(desiredProviderSnapshot(backup(), { kind: 'parting' })).toEqual({ kind: 'none' })
  })

  it('has a hold while the Backup is blocked', () => {
    const wish = desiredProviderSnapshot(backup(), { ...known, problem })
    expect(wish).toEqual({ kind: 'blocked', reason: 'SecretNotFound', message: 'Secret aws is missing' })
  })
})

describe('the snapshot of a deleted Backup', () => {
  it('is removed when the policy is Delete', () => {
    expect(snapshotRemoval(backup(), known)).toEqual({
      kind: 'remove',
      externalName,
      desired: { access, source, label: 'shop/once' },
    })
  })

  it.each([known, undefined])('stays when the Backup is abandoned, whatever is known', (facts) => {
    const object = backup()
    const annotations = { 'konverge.dev/abandon-external': 'true' }
    expect(snapshotRemoval({ ...object, metadata: { ...object.metadata, annotations } }, facts)).toEqual({
      kind: 'keep',
      note: 'in eu-central-1, abandoned by the annotation konverge.dev/abandon-external',
    })
  })

  it.each([known, undefined])('stays when the policy is Retain, whatever is known', (facts) => {
    expect(snapshotRemoval(backup('Retain'), facts)).toMatchObject({
      kind: 'keep',
      note: expect.stringContaining('eu-central-1'),
    })
  })

  it.each([
    ['no credentials', { ...known, access: undefined, problem } as const, 'SecretNotFound'],
    ['nothing looked up', undefined, 'NotLookedUp'],
  ] as const)('keeps the Backup while there is %s', (_, facts, reason) => {
    expect(snapshotRemoval(backup(), facts)).toMatchObject({
      kind: 'blocked',
      reason,
      message: expect.stringContaining('set spec.artifactPolicy to Retain'),
    })
  })
})

describe('the name of a snapshot', () => {
  it('is valid for RDS, however long the names of its Backup and Database are', () => {
    const longest = snapshotIdentifier({ namespace: 'n'.repeat(63), name: `${'b.'.repeat(126)}b`, uid })
    expect(longest.length).toBeLessThanOrEqual(255)
    expect(longest).toMatch(/^[a-z]([a-z0-9]|-(?!-))*[a-z0-9]$/)
    expect(longest.endsWith(uid)).toBe(true)
  })
})
