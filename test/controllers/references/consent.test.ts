// Secrets that a resource names and that have no usage label for its kind. Invariant: the operator does not use them.
// All five kinds, on the embedded server.

import { describe, expect, it, onTestFinished } from 'vitest'
import { Backup } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import { ReplicatedKVStore } from '../../../imports/wire/replicated-kv-store.ts'
import { backup } from '../../../src/controllers/backup/backup.ts'
import { database } from '../../../src/controllers/database/database.ts'
import type { DatabaseEngine } from '../../../src/controllers/engines/engine.ts'
import {
  consentLabel,
  type ReferencePolicy,
  type SecretReader,
} from '../../../src/controllers/references/reference-policy.ts'
import { replicatedKvStore } from '../../../src/controllers/replicated-kv-store/replicated-kv-store.ts'
import { Job, Namespace, type Resource, Secret, StatefulSet } from '../../../src/index.ts'
import { startCluster, type TestCluster } from '../../../src/testing/index.ts'
import { flagshipDefinitions } from '../../e2e/definitions.ts'
import { secretText } from '../../taint/secret-text.ts'
import { noServer } from '../database/databases.ts'
import { admitReservedKeys } from '../older-definitions.ts'
import { openLabels } from '../open-labels.ts'

const home = 'shop'
const image = 'konverge:test'
const at = (name: string) => `${home}/${name}`
const connection = { host: 'db.example', port: '5432', username: 'op', password: secretText('admin') }
const keys = { accessKeyId: 'AKIA', secretAccessKey: secretText('keys') }
const s3 = { bucket: 'backups', endpoint: 'https://s3.example:9000', credentialsSecretRef: { name: 'keys' } }
const server = { connectionSecretRef: { name: 'server' } }

class Fixture {
  readonly cluster: TestCluster
  /** Addresses that the operator has dialled. */
  readonly dialled: string[] = []

  private constructor(cluster: TestCluster) {
    this.cluster = cluster
  }

  static async start(policy?: ReferencePolicy): Promise<Fixture> {
    const cluster = await startCluster({ definitions: await flagshipDefinitions(), controllers: ['*', '-job'] })
    onTestFinished(() => cluster.stop())
    await cluster.create(Namespace, { metadata: { name: home } })
    const fixture = new Fixture(cluster)
    const engine: DatabaseEngine = {
      ...noServer,
      server: (access, caller) => {
        fixture.dialled.push(access.host)
        return noServer.server(access, caller)
      },
    }
    const engineOf = () => engine
    const own = { image, policy }
    cluster.run(replicatedKvStore(own), database(engineOf, own), backup(own))
    return fixture
  }

  async secret(name: string, values: Readonly<Record<string, string>>, labels = {}): Promise<void> {
    await this.cluster.create(Secret, { metadata: { name, namespace: home, labels }, stringData: values })
  }

  async open(name: string, reader: SecretReader): Promise<void> {
    await this.cluster.patch(Secret, at(name), { metadata: { labels: { [consentLabel(reader)]: 'true' } } })
  }

  async create(resource: Resource, name: string, spec: object): Promise<void> {
    await this.cluster.create(resource, { metadata: { name, namespace: home }, spec })
    await this.cluster.advance(5_000)
  }

  async condition(resource: Resource, name: string): Promise<string | undefined> {
    const found = await this.cluster.condition(resource, at(name), 'Ready')
    return found && `${found.reason}: ${found.message}`
  }
}

const command = (secret: string, reader: SecretReader) =>
  `kubectl label secret ${secret} -n ${home} ${consentLabel(reader)}=true`

describe('a Secret without a usage label', () => {
  it('is not in the environment of a ReplicatedKVStore until it has the label', async () => {
    const fixture = await Fixture.start()
    await fixture.secret('orders-admin', { password: secretText('orders') }, { [consentLabel('Database')]: 'true' })
    const valueFrom = { secretKeyRef: { name: 'orders-admin', key: 'password' } }
    await fixture.create(ReplicatedKVStore, 'cart', { image: 'kv:1', env: [{ name: 'LOOT', valueFrom }] })
    expect(await fixture.condition(ReplicatedKVStore, 'cart')).toMatch(/^SecretNotAllowed: /)
    expect(await fixture.condition(ReplicatedKVStore, 'cart')).toContain(command('orders-admin', 'ReplicatedKVStore'))
    expect(await fixture.cluster.list(StatefulSet, home)).toEqual([])
    await fixture.open('orders-admin', 'ReplicatedKVStore')
    await fixture.cluster.advance(20_000)
    expect(await fixture.cluster.list(StatefulSet, home)).toHaveLength(1)
  })

  it('is not added to an environment that changes later', async () => {
    const fixture = await Fixture.start()
    await fixture.secret('orders-admin', { password: secretText('orders') })
    await fixture.create(ReplicatedKVStore, 'cart', { image: 'kv:1' })
    const valueFrom = { secretKeyRef: { name: 'orders-admin', key: 'password', optional: true } }
    await fixture.cluster.patch(ReplicatedKVStore, at('cart'), { spec: { env: [{ name: 'LOOT', valueFrom }] } })
    await fixture.cluster.advance(20_000)
    const [made] = await fixture.cluster.list(StatefulSet, home)
    expect(made).toMatchObject({ spec: { replicas: 1 } })
    expect(JSON.stringify(made)).not.toContain('orders-admin')
  })

  it('blocks a deletion whose last change would use it, and the status reports it', async () => {
    const fixture = await Fixture.start()
    await fixture.secret('extra', { level: secretText('level') }, { [consentLabel('ReplicatedKVStore')]: 'true' })
    const valueFrom = { secretKeyRef: { name: 'extra', key: 'level' } }
    await fixture.create(ReplicatedKVStore, 'cart', { image: 'kv:1', env: [{ name: 'LEVEL', valueFrom }] })
    await fixture.cluster.patch(Secret, at('extra'), {
      metadata: { labels: { [consentLabel('ReplicatedKVStore')]: null } },
    })
    await fixture.cluster.patch(ReplicatedKVStore, at('cart'), { spec: { pvcRetention: { whenDeleted: 'Delete' } } })
    await fixture.cluster.delete(ReplicatedKVStore, at('cart'))
    await fixture.cluster.advance(20_000)
    const conditions = JSON.stringify(await fixture.cluster.find(ReplicatedKVStore, at('cart')))
    expect(conditions).toContain(`the deletion waits: `)
    expect(conditions).toContain(command('extra', 'ReplicatedKVStore'))
    await fixture.open('extra', 'ReplicatedKVStore')
    await fixture.cluster.advance(60_000)
    expect(await fixture.cluster.list(ReplicatedKVStore, home)).toEqual([])
  })

  it('leads the operator to no server, also when it is created later', async () => {
    const fixture = await Fixture.start()
    await fixture.create(Database, 'crm', { provider: { server } })
    expect(await fixture.condition(Database, 'crm')).toMatch(/^SecretNotFound: /)
    await fixture.secret('server', connection)
    await fixture.cluster.advance(20_000)
    expect(await fixture.condition(Database, 'crm')).toContain(command('server', 'Database'))
    expect(fixture.dialled).toEqual([])
    await fixture.open('server', 'Database')
    await fixture.cluster.advance(20_000)
    expect(new Set(fixture.dialled)).toEqual(new Set(['db.example']))
  })

  it('is not used as a certificate authority by a Database', async () => {
    const fixture = await Fixture.start()
    await fixture.secret('server', connection, openLabels)
    await fixture.secret('bundle', { pem: '-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----' })
    const caSecretRef = { name: 'bundle', key: 'pem' }
    await fixture.create(Database, 'crm', { provider: { server: { ...server, caSecretRef } } })
    expect(await fixture.condition(Database, 'crm')).toContain(command('bundle', 'Database'))
    expect(fixture.dialled).toEqual([])
  })

  it('is not mounted by a worker that backs up or restores', async () => {
    const fixture = await Fixture.start()
    await fixture.secret('server', connection, openLabels)
    await fixture.secret('keys', keys, { [consentLabel('Database')]: 'true' })
    await fixture.create(Database, 'crm', { provider: { server } })
    const whole = { databaseRef: { name: 'crm' }, target: { s3 } }
    await fixture.create(Backup, 'once', whole)
    await fixture.create(Backup, 'nightly', { ...whole, schedule: '*/5 * * * *' })
    await fixture.cluster.advance(600_000)
    for (const name of ['once', 'nightly']) {
      expect(await fixture.condition(Backup, name)).toContain(command('keys', 'Backup'))
    }
    expect(await fixture.cluster.list(Backup, home)).toHaveLength(2)
    const location = { path: 'shop/crm', target: { s3 } }
    await fixture.create(Database, 'copy', { provider: { server }, bootstrap: { restoreFrom: { location } } })
    await fixture.cluster.advance(20_000)
    expect(await fixture.condition(Database, 'copy')).toContain(command('keys', 'Backup'))
    expect(await fixture.cluster.list(Job, home)).toEqual([])
  })

  it('is not used by a Database for requests to AWS', async () => {
    const fixture = await Fixture.start()
    await fixture.secret('keys', keys)
    const rds = {
      ...{ region: 'eu-central-1', instanceClass: 'db.t4g.micro', allocatedStorageGiB: 20, sslMode: 'require' },
      credentials: { secretRef: { name: 'keys' } },
    }
    await fixture.create(Database, 'crm', { version: '18', provider: { rds } })
    expect(await fixture.condition(Database, 'crm')).toContain(command('keys', 'Database'))
  })
})

describe('a Secret that the operator wrote', () => {
  const apply = async ({ cluster }: Fixture, labels: Readonly<Record<string, string>>) => {
    const data = { accessKeyId: Buffer.from(secretText('copied')).toString('base64') }
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web-db', namespace: home, labels }, data }
    const options = { fieldManager: 'konverge/databaseusers.data.konverge.dev', force: false }
    await cluster.client.apply(Secret, object, options, new AbortController().signal)
  }
  const env = [{ name: 'LOOT', valueFrom: { secretKeyRef: { name: 'web-db', key: 'accessKeyId' } } }]

  it('is usable by a label of a user, and not by one that the operator sets', async () => {
    const fixture = await Fixture.start()
    await apply(fixture, openLabels)
    await fixture.create(ReplicatedKVStore, 'cart', { image: 'kv:1', env })
    expect(await fixture.condition(ReplicatedKVStore, 'cart')).toMatch(/^SecretNotAllowed: .* which opens nothing; /)
    expect(await fixture.cluster.list(StatefulSet, home)).toEqual([])
    await apply(fixture, {})
    await fixture.open('web-db', 'ReplicatedKVStore')
    await fixture.cluster.advance(20_000)
    expect(await fixture.cluster.list(StatefulSet, home)).toHaveLength(1)
  })

  it("is not usable by the operator's lists, because a spec chooses its name", async () => {
    const fixture = await Fixture.start({ secrets: ['shop/*'] })
    await apply(fixture, {})
    await fixture.create(ReplicatedKVStore, 'cart', { image: 'kv:1', env })
    expect(await fixture.condition(ReplicatedKVStore, 'cart')).toContain(command('web-db', 'ReplicatedKVStore'))
  })
})

it('an annotation of konverge.dev is set on no pod, even if an older CRD admitted it', async () => {
  const fixture = await Fixture.start()
  await admitReservedKeys(fixture.cluster)
  const podTemplate = { annotations: { 'data.konverge.dev/worker': 'x' } }
  await fixture.create(ReplicatedKVStore, 'cart', { image: 'kv:1', podTemplate })
  expect(await fixture.condition(ReplicatedKVStore, 'cart')).toMatch(/^ReservedKey: spec.podTemplate.annotations has /)
  expect(await fixture.cluster.list(StatefulSet, home)).toEqual([])
})

describe('the lists of an operator', () => {
  it('make Secrets usable by their names', async () => {
    const fixture = await Fixture.start({ secrets: ['shop/ser*'] })
    await fixture.secret('server', connection)
    await fixture.create(Database, 'crm', { provider: { server } })
    expect(fixture.dialled).toContain('db.example')
  })

  it('reject images, classes and hosts before anything is created', async () => {
    const policy = { images: ['kv:1', 'postgres:18'], storageClasses: ['fast'], endpoints: ['*.internal'] }
    const fixture = await Fixture.start(policy)
    await fixture.secret('server', connection, openLabels)
    await fixture.secret('keys', keys, openLabels)
    await fixture.create(ReplicatedKVStore, 'miner', { image: 'evil:1' })
    await fixture.create(ReplicatedKVStore, 'slow', { image: 'kv:1', storageClassName: 'slow' })
    await fixture.create(Database, 'miner', { version: '18', provider: { inCluster: { image: 'evil:1' } } })
    await fixture.create(Database, 'old', { version: '17', provider: { inCluster: {} } })
    const storage = { storageClassName: 'slow' }
    await fixture.create(Database, 'slow', { version: '18', provider: { inCluster: { storage } } })
    await fixture.create(Database, 'far', { provider: { server } })
    await fixture.create(Backup, 'far', { databaseRef: { name: 'far' }, target: { s3 } })
    const reasons: readonly (readonly [Resource, string, string])[] = [
      [ReplicatedKVStore, 'miner', 'ImageNotAllowed'],
      [ReplicatedKVStore, 'slow', 'StorageClassNotAllowed'],
      [Database, 'miner', 'ImageNotAllowed'],
      [Database, 'old', 'ImageNotAllowed'],
      [Database, 'slow', 'StorageClassNotAllowed'],
      [Database, 'far', 'EndpointNotAllowed'],
      [Backup, 'far', 'EndpointNotAllowed'],
    ]
    for (const [resource, name, reason] of reasons) {
      expect(await fixture.condition(resource, name), name).toMatch(new RegExp(`^${reason}: .*--allow-`))
    }
    expect(await fixture.cluster.list(StatefulSet, home)).toEqual([])
    expect(await fixture.cluster.list(Job, home)).toEqual([])
    expect(fixture.dialled).toEqual([])
  })
})
