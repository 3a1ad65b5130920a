// Does the operator do on a real API server what the annotations of a resource ask for, and nothing else? The audit log is
// the witness of what was written.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { operatorKubeconfig } from './operator-account.ts'
import { OperatorProcess } from './operator-process.ts'
import { installDefinitions, operatorWrites, Stores } from './stores.ts'

const cluster = attachToControlPlane()
const stores = new Stores(cluster, 'steering')
let operator: OperatorProcess

beforeAll(async () => {
  await installDefinitions(cluster)
  await stores.createNamespace()
  operator = await new OperatorProcess(await operatorKubeconfig(cluster), ['--namespaces', stores.namespace]).ready()
  await stores.apply({ name: 'cart', spec: { image: 'valkey/valkey:8.0', replicas: 1 } })
  await stores.condition('cart', 'Ready', 'True', 'AllReplicasReady')
})
afterAll(async () => await operator.stop())

const annotate = (annotations: Record<string, string | null>) =>
  stores.patch('kv', 'cart', { metadata: { annotations } })
const writes = async () =>
  operatorWrites(await cluster.auditEvents())
    .filter(({ objectRef }) => objectRef?.namespace === stores.namespace)
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}/${objectRef?.subresource ?? ''}`)

describe('a store', () => {
  it('is left alone while it is paused, and is then brought up to date', async () => {
    const before = (await writes()).length
    await annotate({ 'konverge.dev/paused': 'true' })
    await stores.condition('cart', 'Paused', 'True', 'Paused')
    await stores.patch('kv', 'cart', { spec: { replicas: 2 } })
    await stores.patch('statefulset', 'cart', { spec: { replicas: 3 } })
    // The pause is told for the new generation too, which says that the operator has seen the change.
    await waitUntil({ what: 'the pause to be told again', limitMs: 30_000, everyMs: 200 }, async () =>
      ((await stores.store('cart'))?.status?.conditions ?? []).some(
        ({ type, observedGeneration }) => type === 'Paused' && observedGeneration === 2,
      ),
    )
    expect((await writes()).slice(before)).toEqual([
      'patch replicatedkvstores/status',
      'patch replicatedkvstores/status',
    ])
    expect((await stores.store('cart'))?.status).toMatchObject({ observedGeneration: 1, readyReplicas: 1 })
    const { exitCode } = await cluster.kubectl(
      '-n',
      stores.namespace,
      'wait',
      'kv/cart',
      '--for=condition=Ready',
      '--timeout=1s',
    )
    expect(exitCode, 'kubectl wait does not take a spec for ready that nobody acted on').not.toBe(0)
    await annotate({ 'konverge.dev/paused': null })
    await stores.condition('cart', 'Ready', 'True', 'AllReplicasReady')
    expect((await stores.store('cart'))?.status).toMatchObject({ observedGeneration: 2, readyReplicas: 2 })
  })

  it('echoes a reconcile-now with one write', async () => {
    const before = (await writes()).length
    await annotate({ 'konverge.dev/reconcile-now': '2026-01-01T00:00:00Z' })
    await waitUntil({ what: 'the echo', limitMs: 30_000, everyMs: 200 }, async () => {
      return (await stores.store('cart'))?.status?.lastHandledReconcileAt === '2026-01-01T00:00:00Z'
    })
    await annotate({ look: 'again' })
    await annotate({ 'konverge.dev/reconcile-now': 'again' })
    await waitUntil({ what: 'the second echo', limitMs: 30_000, everyMs: 200 }, async () => {
      return (await stores.store('cart'))?.status?.lastHandledReconcileAt === 'again'
    })
    expect((await writes()).slice(before)).toEqual([
      'patch replicatedkvstores/status',
      'patch replicatedkvstores/status',
    ])
  })
})
