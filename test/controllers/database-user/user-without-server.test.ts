// Status of a DatabaseUser whose server is unreachable, on the embedded server. One is a suspended guest whose consent
// a Database withdraws and gives again; another waits for its Database.
import { expect, it, onTestFinished } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { databaseUser } from '../../../src/controllers/database-user/database-user.ts'
import { Namespace, Secret } from '../../../src/index.ts'
import { startCluster } from '../../../src/testing/index.ts'
import { flagshipDefinitions } from '../../e2e/definitions.ts'
import { secretText } from '../../taint/secret-text.ts'
import { noServer, systemIdentifier } from '../database/databases.ts'
import { openLabels } from '../open-labels.ts'

const parts = ['RoleReady', 'GrantsInSync', 'LoginVerified']

it('a user reports a withdrawn consent, and is not ready again before it is resumed', async () => {
  const cluster = await startCluster({ definitions: await flagshipDefinitions(), controllers: ['*', '-job'] })
  onTestFinished(() => cluster.stop())
  for (const name of ['shop', 'reports']) await cluster.create(Namespace, { metadata: { name } })
  const provider = { server: { connectionSecretRef: { name: 'server' } } }
  const spec = { provider, allowedNamespaces: { names: ['reports'] } }
  await cluster.create(Database, { metadata: { name: 'crm', namespace: 'shop' }, spec })
  const databases = [{ name: 'crm', namespace: 'shop', access: 'Owner' as const }]
  const metadata = { name: 'guest', namespace: 'reports' }
  await cluster.create(DatabaseUser, { metadata, spec: { databases, suspend: true } })
  const known = { observedGeneration: 1, reason: 'InSync', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
  const status = { conditions: ['Ready', ...parts].map((type) => ({ ...known, type, status: 'True' })) }
  const options = { fieldManager: 'test', subresource: 'status' } as const
  const { signal } = new AbortController()
  await cluster.client.patch(DatabaseUser, metadata, { type: 'merge', body: { status } }, options, signal)
  cluster.run(databaseUser(() => noServer))
  await cluster.advance(60_000)
  const standing = async (type: string) => {
    const found = await cluster.condition(DatabaseUser, 'reports/guest', type)
    return found && `${found.status} ${found.reason}`
  }
  const consent = async (allowedNamespaces: object | null) => {
    await cluster.patch(Database, 'shop/crm', { spec: { allowedNamespaces } })
    await cluster.advance(1_000)
  }
  expect(await standing('Ready')).toBe('True InSync')
  await consent(null)
  for (const type of ['Degraded', 'Stalled']) expect(await standing(type)).toBe('True NotAllowed')
  for (const type of parts) expect(await standing(type)).toBe('Unknown NotAllowed')
  expect(await cluster.condition(DatabaseUser, 'reports/guest', 'Ready')).toMatchObject({
    ...{ status: 'False', reason: 'NotAllowed' },
    message: expect.stringMatching(
      /^no Database shop\/crm allows namespace reports in its spec.allowedNamespaces; ask /,
    ),
  })
  await consent({ names: ['reports'] })
  expect(await standing('Ready')).toBe('False Suspended')
  expect(await standing('Stalled')).toBeUndefined()
  for (const type of parts) expect(await standing(type)).toBe('Unknown Suspended')
})

it('a user reports in one sentence what it waits for', async () => {
  const cluster = await startCluster({ definitions: await flagshipDefinitions(), controllers: ['*', '-job'] })
  onTestFinished(() => cluster.stop())
  await cluster.create(Namespace, { metadata: { name: 'shop' } })
  const databases = [{ name: 'crm', access: 'Owner' as const }]
  await cluster.create(DatabaseUser, { metadata: { name: 'web', namespace: 'shop' }, spec: { databases } })
  cluster.run(databaseUser(() => noServer))
  await cluster.advance(60_000)
  for (const type of ['Ready', 'Progressing', 'Reconciling']) {
    const found = await cluster.condition(DatabaseUser, 'shop/web', type)
    expect(found).toMatchObject({ reason: 'DatabaseMissing', message: 'there is no Database crm' })
  }
})

it('a user reports in one sentence why there is no password', async () => {
  const cluster = await startCluster({ definitions: await flagshipDefinitions(), controllers: ['*', '-job'] })
  onTestFinished(() => cluster.stop())
  await cluster.create(Namespace, { metadata: { name: 'shop' } })
  const connection = { host: 'db.example', port: '5432', username: 'op', password: secretText('admin') }
  const opened = { metadata: { name: 'server', namespace: 'shop', labels: openLabels }, stringData: connection }
  await cluster.create(Secret, opened)
  const provider = { server: { connectionSecretRef: { name: 'server' } } }
  const crm = { name: 'crm', namespace: 'shop' }
  await cluster.create(Database, { metadata: crm, spec: { provider } })
  const status = { phase: 'Ready', identity: { systemIdentifier, databaseOID: 16_400 } }
  const options = { fieldManager: 'test', subresource: 'status' } as const
  await cluster.client.patch(Database, crm, { type: 'merge', body: { status } }, options, new AbortController().signal)
  const databases = [{ name: 'crm', access: 'Owner' as const }]
  const password = { secretRef: { name: 'mine', key: 'password' } }
  await cluster.create(DatabaseUser, { metadata: { name: 'web', namespace: 'shop' }, spec: { databases, password } })
  cluster.run(databaseUser(() => noServer))
  await cluster.advance(60_000)
  for (const type of ['Ready', 'Progressing', 'Reconciling']) {
    const found = await cluster.condition(DatabaseUser, 'shop/web', type)
    expect(found).toMatchObject({ message: 'there is no Secret mine, which spec.password.secretRef names' })
  }
})
