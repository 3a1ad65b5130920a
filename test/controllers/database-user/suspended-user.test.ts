// A suspended guest while a Database withdraws its consent and gives it again: its status says so without a server. On the embedded server.
import { expect, it, onTestFinished } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { databaseUser } from '../../../src/controllers/database-user/database-user.ts'
import { Namespace } from '../../../src/index.ts'
import { startCluster } from '../../../src/testing/index.ts'
import { flagshipDefinitions } from '../../e2e/definitions.ts'
import { noServer } from '../database/databases.ts'

const parts = ['RoleReady', 'GrantsInSync', 'LoginVerified']

it('says that a consent was withdrawn, and is not ready again before it is resumed', async () => {
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
