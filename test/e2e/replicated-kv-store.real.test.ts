// Does the operator do its work on a real cluster? From two hundred stores to one that waits for a storage class, with the
// audit log as the witness of what was written.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { operatorKubeconfig, operatorNamespace, refusalsOf } from './operator-account.ts'
import { OperatorProcess } from './operator-process.ts'
import { installDefinitions, operatorWrites, type StoreObject, Stores } from './stores.ts'

const cluster = attachToControlPlane()
const writesSoFar = async () => operatorWrites(await cluster.auditEvents())
const image = 'valkey/valkey:8.0'

let kubeconfig: string

beforeAll(async () => {
  await installDefinitions(cluster)
  kubeconfig = await operatorKubeconfig(cluster)
})

describe('two hundred stores', () => {
  const stores = new Stores(cluster, 'two-hundred')
  const names = Array.from({ length: 200 }, (_, index) => `store-${index}`)
  const start = () => new OperatorProcess(kubeconfig, ['--namespaces', stores.namespace])
  let operator: OperatorProcess

  beforeAll(async () => {
    await stores.createNamespace()
    operator = await start().ready()
    await stores.apply(...names.map((name) => ({ name, spec: { image, replicas: 1 } })))
    await stores.allReady(300_000)
  }, 400_000)

  afterAll(async () => await operator.stop())

  it('have their children, each with its owner', async () => {
    const kinds = { statefulsets: 200, services: 400, poddisruptionbudgets: 0 }
    for (const [kind, count] of Object.entries(kinds)) {
      const children = await stores.list<{
        metadata: { ownerReferences?: readonly { kind: string; controller: boolean }[] }
      }>(kind)
      expect(children, kind).toHaveLength(count)
      expect(children.every(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'ReplicatedKVStore')).toBe(true)
    }
  })

  it('are not written again by a second start', async () => {
    await operator.stop()
    const before = (await writesSoFar()).length
    operator = await start().ready()
    await settledTurns(operator, names.length)
    expect((await writesSoFar()).slice(before).map(({ requestURI }) => requestURI)).toEqual([])
  })

  it('are not written again by a repeated turn, and keep their generations', async () => {
    const generationsOf = async () => {
      const objects = await Promise.all(
        ['statefulsets', 'services', 'replicatedkvstores'].map((kind) => stores.list<StoreObject>(kind)),
      )
      return objects.flat().map(({ metadata: { name, generation } }) => `${name} ${generation}`)
    }
    const generations = await generationsOf()
    const before = (await writesSoFar()).length
    // An annotation wakes every store, and none of them has anything to do.
    const turnsBefore = await turnsOf(operator)
    for (const name of names.slice(0, 20))
      await stores.patch('kv', name, { metadata: { annotations: { look: 'again' } } })
    await operator.until('the repeated turns', async () => (await turnsOf(operator)) >= turnsBefore + 20)
    expect((await writesSoFar()).slice(before).map(({ requestURI }) => requestURI)).toEqual([])
    expect(await generationsOf()).toEqual(generations)
  })

  it('follow a change of image and of scale', async () => {
    await stores.patch('kv', 'store-0', { spec: { image: 'valkey/valkey:8.1', replicas: 3 } })
    await stores.condition('store-0', 'Ready', 'True', 'AllReplicasReady')
    const pods = await stores.list<{ metadata: { name: string }; spec: { containers: readonly { image: string }[] } }>(
      'pods',
    )
    const images = pods
      .filter(({ metadata }) => metadata.name.startsWith('store-0-'))
      .map(({ spec }) => spec.containers[0]?.image)
    expect(images).toEqual(['valkey/valkey:8.1', 'valkey/valkey:8.1', 'valkey/valkey:8.1'])
    expect(await stores.get('pdb', 'store-0')).toBeDefined()
  })

  it('lose the PodDisruptionBudget with the second replica, and keep the volumes', async () => {
    await stores.patch('kv', 'store-0', { spec: { replicas: 1 } })
    await waitUntil(
      { what: 'the PodDisruptionBudget to go', limitMs: 30_000 },
      async () => (await stores.get('pdb', 'store-0')) === undefined,
    )
    await stores.condition('store-0', 'Ready', 'True', 'AllReplicasReady')
    await waitUntil(
      { what: 'the retained claims in the status', limitMs: 40_000 },
      async () => (await stores.store('store-0'))?.status?.retainedPVCs !== undefined,
    )
    expect((await stores.store('store-0'))?.status?.retainedPVCs).toEqual(['data-store-0-1', 'data-store-0-2'])
  })

  it('take back what is edited, scaled or deleted by hand, and leave what is not theirs', async () => {
    await stores.patch('statefulset', 'store-1', { metadata: { labels: { theirs: 'yes' } }, spec: { replicas: 2 } })
    await stores.patch('service', 'store-1', {
      spec: { selector: { 'data.konverge.dev/replicatedkvstore': 'somebody-else' } },
    })
    await stores.delete('serviceaccount', 'store-1')
    type Child = {
      metadata: { labels: Record<string, string> }
      spec: { replicas: number; selector: Record<string, string> }
    }
    await waitUntil({ what: 'the children to be as declared', limitMs: 30_000 }, async () => {
      const [set, service, account] = await Promise.all([
        stores.get<Child>('statefulset', 'store-1'),
        stores.get<Child>('service', 'store-1'),
        stores.get('serviceaccount', 'store-1'),
      ])
      return (
        set?.spec.replicas === 1 &&
        service?.spec.selector['data.konverge.dev/replicatedkvstore'] === 'store-1' &&
        account !== undefined
      )
    })
    expect((await stores.get<Child>('statefulset', 'store-1'))?.metadata.labels['theirs']).toBe('yes')
  })

  it('refuse a foreign object with a child’s name, and leave it as it is', async () => {
    const foreign = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'taken', namespace: stores.namespace },
      spec: { ports: [{ port: 1 }] },
    }
    await cluster.apply(foreign)
    await stores.apply({ name: 'taken', spec: { image } })
    const message = await stores.condition('taken', 'Degraded', 'True', 'ConflictingOwner')
    expect(message).toMatch(
      /^Service two-hundred\/taken exists and is not controlled by ReplicatedKVStore two-hundred\/taken; delete or rename one of the two/,
    )
    const service = await stores.get<{ metadata: { labels?: object; ownerReferences?: object } }>('service', 'taken')
    expect(service?.metadata.labels).toBeUndefined()
    expect(service?.metadata.ownerReferences).toBeUndefined()
    await stores.delete('service', 'taken')
    await stores.condition('taken', 'Ready', 'True', 'AllReplicasReady')
  })

  it('go when they are deleted: the StatefulSet first, the volumes not at all', async () => {
    await stores.delete('kv', 'store-2')
    const events = (await writesSoFar())
      .filter(({ objectRef }) => objectRef?.name === 'store-2')
      .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}`)
    const deletion = events.slice(events.indexOf('delete statefulsets'))
    expect(deletion[0]).toBe('delete statefulsets')
    expect(deletion.filter((event) => event.startsWith('delete'))).toEqual(['delete statefulsets'])
    expect(await stores.get('statefulset', 'store-2')).toBeUndefined()
    expect(await stores.get('pod', 'store-2-0')).toBeUndefined()
    expect(await stores.get('pvc', 'data-store-2-0')).toBeDefined()
    await waitUntil(
      { what: 'the Services to be collected', limitMs: 60_000, everyMs: 500 },
      async () => (await stores.get('service', 'store-2')) === undefined,
    )
    await waitUntil({ what: 'the Event about the volumes', limitMs: 20_000, everyMs: 500 }, async () => {
      const all = await stores.list<{
        reason: string
        note?: string
        message?: string
        involvedObject: { name: string }
      }>('events')
      return all.some(
        ({ reason, message, involvedObject }) =>
          reason === 'VolumesRetained' &&
          involvedObject.name === 'store-2' &&
          message?.includes('data-store-2-0') === true,
      )
    })
  })
})

describe('one store', () => {
  const stores = new Stores(cluster, 'one-store')
  let operator: OperatorProcess

  beforeEach(async () => {
    await stores.createNamespace()
    operator = await new OperatorProcess(kubeconfig, ['--namespaces', stores.namespace, '--backoff', '1-1000']).ready()
  })
  afterEach(async () => await operator.stop())

  it('without its storage class says so and waits, and goes on when the class appears', async () => {
    const storageClass = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'appears-later' },
      provisioner: 'kubernetes.io/host-path',
    }
    await stores.apply({ name: 'classy', spec: { image, storageClassName: 'appears-later' } })
    expect(await stores.condition('classy', 'Degraded', 'True', 'InvalidSpec')).toBe(
      "StorageClass 'appears-later' not found",
    )
    // Two further stores come and become ready; the one that was refused has no turn meanwhile.
    await stores.apply({ name: 'first-witness', spec: { image } })
    await stores.condition('first-witness', 'Ready', 'True', 'AllReplicasReady')
    const refusals = () => operator.metric('reconciliation_errors_total', 'reason="InvalidSpec"')
    const before = await refusals()
    await stores.apply({ name: 'second-witness', spec: { image } })
    await stores.condition('second-witness', 'Ready', 'True', 'AllReplicasReady')
    expect(await refusals()).toBe(before)
    await cluster.apply(storageClass)
    await stores.condition('classy', 'Ready', 'True', 'AllReplicasReady')
    await stores.delete('storageclass', 'appears-later')
  })

  it('whose image is missing names image and pod, and recovers when it is corrected', async () => {
    await stores.apply({ name: 'pull', spec: { image: 'kv:missing' } })
    const message = await stores.condition('pull', 'Ready', 'False', 'ImagePullFailed', 90_000)
    expect(message).toMatch(/^0 of 1 replicas are ready; pod pull-0 cannot get image kv:missing/)
    expect(await operator.metric('resource_condition', 'name="pull",type="Ready"')).toBe(0)
    await stores.patch('kv', 'pull', { spec: { image } })
    await stores.condition('pull', 'Ready', 'True', 'AllReplicasReady')
  })

  it('comes back from a rollout that failed when its spec is reverted, and loses no replica that serves', async () => {
    const pods = async () => {
      const all = await stores.list<StoreObject & { metadata: { deletionTimestamp?: string } }>('pods')
      return all.filter(({ metadata }) => metadata.name.startsWith('revert-'))
    }
    const uidsOf = async () => (await pods()).map(({ metadata: { name, uid } }) => `${name} ${uid}`)
    await stores.apply({ name: 'revert', spec: { image, replicas: 3 } })
    await stores.condition('revert', 'Ready', 'True', 'AllReplicasReady')
    const healthy = await uidsOf()
    await stores.patch('kv', 'revert', { spec: { image: 'kv:missing' } })
    await stores.condition('revert', 'Ready', 'False', 'ImagePullFailed', 90_000)
    const [first, second, broken] = await uidsOf()
    expect([first, second]).toEqual(healthy.slice(0, 2))

    await stores.patch('kv', 'revert', { spec: { image } })
    await stores.condition('revert', 'Ready', 'True', 'AllReplicasReady')
    const [firstAgain, secondAgain, mended] = await uidsOf()
    expect([firstAgain, secondAgain]).toEqual(healthy.slice(0, 2))
    expect(mended).not.toBe(broken)
    const deletes = (await writesSoFar()).filter(
      ({ verb, objectRef }) => verb === 'delete' && objectRef?.name?.startsWith('revert') === true,
    )
    expect(deletes.map(({ objectRef }) => `${objectRef?.resource} ${objectRef?.name}`)).toEqual(['pods revert-2'])
    await waitUntil({ what: 'the Event about the pod', limitMs: 20_000, everyMs: 500 }, async () => {
      const events = await stores.list<{ reason: string; involvedObject: { name: string } }>('events')
      return events.some(
        ({ reason, involvedObject }) => reason === 'StuckPodDeleted' && involvedObject.name === 'revert',
      )
    })
  })

  it('that its spec suspends is left alone, and then brought up to date', async () => {
    await stores.apply({ name: 'quiet', spec: { image } })
    await stores.condition('quiet', 'Ready', 'True', 'AllReplicasReady')
    await stores.patch('kv', 'quiet', { spec: { suspend: true, replicas: 2 } })
    await waitUntil({ what: 'the pause to be told', limitMs: 30_000, everyMs: 200 }, async () =>
      ((await stores.store('quiet'))?.status?.conditions ?? []).some(({ type }) => type === 'Paused'),
    )
    const replicas = async () => (await stores.get<StoreObject>('statefulset', 'quiet'))?.spec['replicas']
    expect(await replicas()).toBe(1)
    await stores.patch('kv', 'quiet', { spec: { suspend: false } })
    await stores.condition('quiet', 'Ready', 'True', 'AllReplicasReady')
    expect(await replicas()).toBe(2)
  })

  it('that is invalid is refused by the API server in words that name the field', async () => {
    await expect(stores.apply({ name: 'bad', spec: { image, replicas: 0 } })).rejects.toThrow(/spec\.replicas/)
  })

  it('ends the operator within ten seconds of SIGTERM, in order', async () => {
    const exit = await operator.stop()
    expect(exit.code).toBe(0)
    expect(exit.afterMs).toBeLessThan(10_000)
    expect(operator.lines.at(-1)?.msg).toBe('stopped')
  })
})

it('needed no right that the operator does not have', async () => {
  expect(await refusalsOf(cluster, operatorNamespace)).toEqual([])
})

/** Turns of all outcomes. */
async function turnsOf(operator: OperatorProcess): Promise<number> {
  return await operator.metric('reconciliation_duration_seconds_count', '')
}

async function settledTurns(operator: OperatorProcess, count: number): Promise<void> {
  const settled = () => operator.metric('reconciliation_duration_seconds_count', 'outcome="settled"')
  await operator.until(`${count} settled turns`, async () => (await settled()) >= count)
}
