// The Services of a server in the cluster as somebody who may write Services in its namespace can bend them. The pods only seem to run.
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

it('lead an operator that is told to dial local addresses to that of the annotation', async () => {
  const { dialled, bend } = await started({ dialsLocalAddresses: true })
  await bend(annotated)
  expect(dialled).toContain(elsewhere)
})

it('are given back the type that leads to pods', async () => {
  const { cluster, bend } = await started()
  await bend({ spec: { type: 'ExternalName', externalName: 'db.attacker.example' } })
  const found = await cluster.find(Service, service)
  expect(found).toMatchObject({ spec: { type: 'ClusterIP' } })
})
