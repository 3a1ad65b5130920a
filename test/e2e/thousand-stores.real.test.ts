// How much does the operator write for a thousand stores? The audit log counts. No time is asserted: bench/ measures that.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AuditEvent } from '../control-plane/audit-log.ts'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { KubectlObjects } from './kubectl-objects.ts'
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
  const namespaces = Array.from(
    { length: 20 },
    (_, index) => new Stores(new KubectlObjects(cluster), `thousand-${index}`),
  )
  for (const [index, stores] of namespaces.entries()) {
    await stores.createNamespace()
    const own = names.filter((_, place) => place % namespaces.length === index)
    await stores.apply(...own.map((name) => ({ name, spec: { image: 'valkey/valkey:8.0', replicas: 3 } })))
  }
  for (const stores of namespaces) await stores.allReady(900_000)
  const counts = countsByStore(operatorWrites(await cluster.auditEvents()))
  expect(counts.size).toBe(names.length)
  const others = [...counts].filter(([, { children, parent }]) => children !== 5 || parent !== 1)
  expect(others).toEqual([])
  const talkative = [...counts].filter(([, { statusAtMs }]) => statusAtMs.length > allowedStatusWrites(statusAtMs))
  expect(talkative).toEqual([])
}, 1_200_000)

interface Counts {
  children: number
  parent: number
  /** When the status was written, oldest first. */
  readonly statusAtMs: number[]
}

/** Five; progress is told every half minute, so one that a slow machine keeps waiting for longer is told of more. */
function allowedStatusWrites(atMs: readonly number[]): number {
  const tookMs = (atMs.at(-1) ?? 0) - (atMs[0] ?? 0)
  return 5 + Math.max(0, Math.floor((tookMs - 90_000) / 30_000))
}

function countsByStore(writes: readonly AuditEvent[]): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>()
  for (const { objectRef, requestReceivedTimestamp } of writes) {
    const name = (objectRef?.name ?? '').replace(/-headless$/, '')
    const count = counts.get(name) ?? { children: 0, parent: 0, statusAtMs: [] }
    if (objectRef?.resource !== 'replicatedkvstores') count.children++
    else if (objectRef.subresource === 'status') count.statusAtMs.push(Date.parse(requestReceivedTimestamp))
    else count.parent++
    counts.set(name, count)
  }
  return counts
}
