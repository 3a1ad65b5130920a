// What becomes of the volumes of a store on a real cluster, when it shrinks, grows and comes again?
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { OperatorProcess } from './operator-process.ts'
import { installDefinitions, Stores } from './stores.ts'

const cluster = attachToControlPlane()
const stores = new Stores(cluster, 'volumes')
const image = 'valkey/valkey:8.0'
let operator: OperatorProcess

beforeAll(async () => {
  await installDefinitions(cluster)
  await stores.createNamespace()
  operator = await new OperatorProcess(cluster.connection.kubeconfigPath, ['--namespaces', stores.namespace]).ready()
})
afterAll(async () => await operator.stop())

interface Named {
  readonly metadata: { readonly name: string; readonly uid: string }
}
/** `cart-0 <uid>` of all of the store. */
const uidsOf = async (kind: string, store: string) =>
  (await stores.list<Named>(kind))
    .filter(({ metadata: { name } }) => new RegExp(`(^|-)${store}-\\d+$`).test(name))
    .map(({ metadata: { name, uid } }) => `${name} ${uid}`)
const eventOf = async (store: string, reason: string) =>
  await waitUntil({ what: `the Event ${reason}`, limitMs: 20_000, everyMs: 500 }, async () =>
    (await stores.list<{ reason: string; involvedObject: { name: string } }>('events')).some(
      (event) => event.reason === reason && event.involvedObject.name === store,
    ),
  )

describe('a store that was scaled in', () => {
  const shrunk = async (name: string) => {
    await stores.apply({ name, spec: { image, replicas: 3 } })
    await stores.condition(name, 'Ready', 'True', 'AllReplicasReady')
    await stores.patch('kv', name, { spec: { replicas: 1 } })
    await stores.condition(name, 'Ready', 'True', 'AllReplicasReady')
  }

  it('is not scaled out onto the old volumes until somebody consents', async () => {
    await shrunk('consent')
    const old = await uidsOf('pvc', 'consent')
    await stores.patch('kv', 'consent', { spec: { replicas: 3, image: 'valkey/valkey:8.1' } })
    const message = await stores.condition('consent', 'Degraded', 'True', 'StaleVolumesRetained')
    expect(message).toContain('held at 1')
    expect(message).toContain('data-consent-1, data-consent-2')
    await eventOf('consent', 'StaleVolumesRetained')
    await stores.condition('consent', 'Stalled', 'True', 'StaleVolumesRetained')
    expect(await uidsOf('pods', 'consent')).toHaveLength(1)
    const [pod] = await stores.list<{ spec: { containers: readonly { image: string }[] } }>('pods')
    expect(pod?.spec.containers[0]?.image, 'the rest of the change is made').toBe('valkey/valkey:8.1')

    await stores.patch('kv', 'consent', { spec: { storage: { reuseRetained: 'Allow' } } })
    await stores.condition('consent', 'Ready', 'True', 'AllReplicasReady')
    expect(await uidsOf('pods', 'consent')).toHaveLength(3)
    expect(await uidsOf('pvc', 'consent')).toEqual(old)
    expect((await stores.store('consent'))?.status?.retainedPVCs).toBeUndefined()
  })

  it('is scaled out onto new volumes once the old ones are deleted', async () => {
    await shrunk('empty')
    const [first, ...old] = await uidsOf('pvc', 'empty')
    await stores.patch('kv', 'empty', { spec: { replicas: 3 } })
    await stores.condition('empty', 'Degraded', 'True', 'StaleVolumesRetained')
    await stores.delete('pvc', 'data-empty-1', 'data-empty-2')
    await stores.condition('empty', 'Ready', 'True', 'AllReplicasReady')
    const [firstNow, ...fresh] = await uidsOf('pvc', 'empty')
    expect(firstNow).toBe(first)
    expect(fresh).toHaveLength(2)
    expect(fresh.filter((claim) => old.includes(claim))).toEqual([])
  })
})

describe('a store that is created on the volumes of an earlier one', () => {
  it('takes them back, and says so', async () => {
    await stores.apply({ name: 'again', spec: { image, replicas: 2 } })
    await stores.condition('again', 'Ready', 'True', 'AllReplicasReady')
    const old = await uidsOf('pvc', 'again')
    await stores.delete('kv', 'again')
    await stores.apply({ name: 'again', spec: { image, replicas: 2 } })
    await stores.condition('again', 'Ready', 'True', 'AllReplicasReady')
    const message = await stores.condition('again', 'VolumesReused', 'True', 'OlderThanStore')
    expect(message).toContain('data-again-0, data-again-1')
    await eventOf('again', 'VolumesReused')
    expect(await uidsOf('pvc', 'again')).toEqual(old)
  })
})
