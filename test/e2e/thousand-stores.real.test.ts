// How much does the operator write for a thousand stores? The audit log counts. No time is asserted: bench/ measures that.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AuditEvent } from '../control-plane/audit-log.ts'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { operatorKubeconfig } from './operator-account.ts'
import { OperatorProcess } from './operator-process.ts'
import { installDefinitions, operatorWrites, Stores } from './stores.ts'

const names = Array.from({ length: 1_000 }, (_, index) => `store-${index}`)
let cluster: ControlPlane
let operator: OperatorProcess

beforeAll(async () => {
  cluster = await startControlPlane({ kwok: { nodes: 10 }, auditLog: true })
  await installDefinitions(cluster)
  operator = await new OperatorProcess(await operatorKubeconfig(cluster)).ready()
}, 120_000)

afterAll(async () => {
  await operator.stop()
  await cluster.stop()
})

it('a thousand stores of three replicas take five child writes, one parent write and at most five status writes each', async () => {
  // Spread, as people would: the cluster's own controllers slow down with a thousand StatefulSets in one namespace.
  const namespaces = Array.from({ length: 20 }, (_, index) => new Stores(cluster, `thousand-${index}`))
  for (const [index, stores] of namespaces.entries()) {
    await stores.createNamespace()
    const own = names.filter((_, place) => place % namespaces.length === index)
    await stores.apply(...own.map((name) => ({ name, spec: { image: 'valkey/valkey:8.0', replicas: 3 } })))
  }
  for (const stores of namespaces) await stores.allReady(900_000)
  const counts = countsByStore(operatorWrites(await cluster.auditEvents()))
  expect(counts.size).toBe(names.length)
  const worst = { children: 0, parent: 0, status: 0 }
  for (const { children, parent, status } of counts.values()) {
    worst.children = Math.max(worst.children, children)
    worst.parent = Math.max(worst.parent, parent)
    worst.status = Math.max(worst.status, status)
  }
  expect(worst.children).toBe(5)
  expect(worst.parent).toBe(1)
  expect(worst.status).toBeLessThanOrEqual(5)
}, 1_200_000)

interface Counts {
  children: number
  parent: number
  status: number
}

function countsByStore(writes: readonly AuditEvent[]): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>()
  for (const { objectRef } of writes) {
    const name = (objectRef?.name ?? '').replace(/-headless$/, '')
    const count = counts.get(name) ?? { children: 0, parent: 0, status: 0 }
    if (objectRef?.resource !== 'replicatedkvstores') count.children++
    else if (objectRef.subresource === 'status') count.status++
    else count.parent++
    counts.set(name, count)
  }
  return counts
}
