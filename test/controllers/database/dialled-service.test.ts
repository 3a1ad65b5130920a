// Services of an in-cluster server, changed by an attacker who may write Services in its namespace. The pods are
// simulated.
import { expect, it, onTestFinished } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { fastClass } from '../../../src/cli/dev/sample-objects.ts'
import { database } from '../../../src/controllers/database/database.ts'
import type { DatabaseEngine } from '../../../src/controllers/engines/engine.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import type { ReferencePolicy } from '../../../src/controllers/references/reference-policy.ts'
import { Service, StorageClass } from '../../../src/index.ts'
import { startCluster } from '../../../src/testing/index.ts'
import { localAddressAttempt } from '../../adversary/attempts/bounded-operator.ts'
import { flagshipDefinitions } from '../../e2e/definitions.ts'
import { noServer } from './databases.ts'

const service = 'default/own-postgres'
const elsewhere = '203.0.113.7'

async function started(policy: ReferencePolicy = {}) {
  const cluster = await startCluster({ definitions: await flagshipDefinitions(), simulatedNodes: 1 })
  onTestFinished(() => cluster.stop())
  await cluster.create(StorageClass, fastClass)
  const dialled: (string | undefined)[] = []
  const at = ({ dial, host }: ServerAccess) => void dialled.push(dial?.host ?? host)
  const engine: DatabaseEngine = {
    ...noServer,
    server: (access, use) => {
      at(access)
      return noServer.server(access, use)
    },
    visit: (access, use) => {
      at(access)
      return noServer.visit(access, use)
    },
  }
  cluster.run(database(() => engine, { policy }))
  const provider = { inCluster: { storage: { size: '1Gi', storageClassName: 'fast' } } }
  await cluster.create(Database, { metadata: { name: 'own' }, spec: { version: '18', provider } })
  await cluster.advance(60_000)
  const bend = async (change: object) => {
    await cluster.patch(Service, service, change)
    await cluster.advance(120_000)
  }
  return { cluster, dialled, bend }
}

const annotated = { metadata: { annotations: { 'konverge.dev/local-address': elsewhere } } }

it(`${localAddressAttempt.does}: ${localAddressAttempt.sentence}`, async () => {
  const { dialled, bend } = await started()
  await bend(annotated)
  expect(new Set(dialled)).toEqual(new Set(['own-postgres.default.svc']))
})

it('Services lead an operator that dials local addresses to the address of the annotation', async () => {
  const { dialled, bend } = await started({ dialsLocalAddresses: true })
  await bend(annotated)
  expect(dialled).toContain(elsewhere)
})

it('Services get back the type that leads to pods', async () => {
  const { cluster, bend } = await started()
  await bend({ spec: { type: 'ExternalName', externalName: 'db.attacker.example' } })
  const found = await cluster.find(Service, service)
  expect(found).toMatchObject({ spec: { type: 'ClusterIP' } })
})
