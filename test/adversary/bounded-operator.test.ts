// Attempts of a tenant on an operator with `--allow-*` lists. A list stops an attempt before a pod or a connection
// exists, so none runs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Backup } from '../../imports/wire/backup.ts'
import { Database } from '../../imports/wire/database.ts'
import { ReplicatedKVStore } from '../../imports/wire/replicated-kv-store.ts'
import { flagshipOf } from '../../src/cli/flagship.ts'
import { Job, Secret, StatefulSet } from '../../src/index.ts'
import type { KubeObject } from '../../src/object/object.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { openLabels } from '../controllers/open-labels.ts'
import { flagshipDefinitions } from '../e2e/definitions.ts'
import type { LiveJson } from '../e2e/hand.ts'
import { secretText } from '../taint/secret-text.ts'
import { conditionOf } from './attempt.ts'
import { boundedAttempts, bounds, hosts } from './attempts/bounded-operator.ts'

const kinds = { Backup, Database, ReplicatedKVStore }
let cluster: TestCluster

beforeAll(async () => {
  cluster = await startCluster({ definitions: await flagshipDefinitions(), simulatedNodes: 1 })
  for (const [name, host] of Object.entries({ ...hosts, allowed: 'db.allowed.example' })) {
    const data = { host, port: '5432', username: 'app', password: secretText(`bounded ${name}`) }
    await createSecret(name, data)
  }
  await createSecret('keys', { accessKeyId: 'AKIATEST', secretAccessKey: secretText('bounded keys') })
  for (const controller of flagshipOf({ policy: bounds })) cluster.run(controller)
  const provider = { server: { connectionSecretRef: { name: 'allowed' }, sslMode: 'disable' } }
  await cluster.create(Database, { metadata: { name: 'mine' }, spec: { provider } } as KubeObject)
})
afterAll(() => cluster?.stop())

async function createSecret(name: string, data: Readonly<Record<string, string>>): Promise<void> {
  await cluster.create(Secret, { metadata: { name, labels: openLabels }, stringData: data })
}

describe('a tenant of an operator with lists', () => {
  it.each(boundedAttempts)('$does: $sentence', async ({ kind, spec, reason, message }) => {
    const name = `x${boundedAttempts.findIndex((one) => one.spec === spec)}`
    await cluster.create(kinds[kind], { metadata: { name }, spec } as KubeObject)
    await cluster.advance(120_000)
    const found = await cluster.find(kinds[kind], `default/${name}`)
    const ready = conditionOf(found as unknown as LiveJson | undefined, 'Ready') // As the API server stores it.
    expect(ready).toMatchObject({ status: 'False', reason, message: expect.stringMatching(message) })
    expect(await cluster.list(StatefulSet)).toEqual([])
    expect(await cluster.list(Job)).toEqual([])
  })
})
