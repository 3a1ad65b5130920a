// Watch, update and deleteCollection of the author's client, on a real API server.
import { expect, it, onTestFinished } from 'vitest'
import { ConfigMap, isKubeError, type ObjectEvent, startOperator } from '../../src/index.ts'
import { attachToControlPlane } from '../control-plane/attach.ts'

const cluster = attachToControlPlane()

it('watches the objects that it updates and deletes', { timeout: 180_000 }, async () => {
  const operator = await startOperator({
    ...{ name: 'author', controllers: [], environment: {}, kubeconfig: cluster.connection.kubeconfigPath },
    ...{ output: { write: () => {} }, http: 'off', userAgent: 'test/1.0.0' },
  })
  onTestFinished(() => operator.stop())
  const { client } = operator
  const of = (name: string) => ({ metadata: { namespace: 'default', name, labels: { set: 'watched' } } })
  const first = await client.create(ConfigMap, of('first'))
  const selection = { namespace: 'default', labelSelector: 'set=watched' }
  const seen: string[] = []
  const see = (event: ObjectEvent) => {
    if (event.kind === 'synced') seen.push('synced')
    else seen.push(`${event.kind} ${'metadata' in event.object ? event.object.metadata.name : event.object.name}`)
  }
  for await (const event of client.watch(ConfigMap, selection)) {
    see(event)
    if (event.kind === 'synced') await client.update(ConfigMap, { ...first, data: { a: 'b' } })
    if (event.kind === 'modified') await client.deleteCollection(ConfigMap, selection)
    if (event.kind === 'deleted') break
  }
  expect(seen).toEqual(['added first', 'synced', 'modified first', 'deleted first'])
  const late = client.update(ConfigMap, { ...first, data: { a: 'c' } })
  await expect(late).rejects.toSatisfy((thrown) => isKubeError(thrown, 'NotFound') || isKubeError(thrown, 'Conflict'))
})
