// A Node whose controller contributes a taint to it, in another spelling than the API server stores.
import { expect, it } from 'vitest'
import { addObject, contribute, defineController, Node, objectOf } from '../../src/index.ts'
import { startCluster } from '../../src/testing/index.ts'

const tainter = defineController<unknown, unknown, unknown>(Node, {
  owns: [],
  watches: [{ resource: Node, contributes: true, keysFor: () => [] }],
  finalizer: false,
  desired: (chart, { object: { metadata } }) => {
    const spec = { taints: [{ key: 'arch', value: '', effect: 'NoSchedule' }] }
    contribute(addObject(chart, objectOf(Node, { metadata: { name: metadata.name }, spec })))
  },
})

it('needs no write after a restart', async () => {
  await using cluster = await startCluster({ simulatedNodes: 1 })
  const operator = cluster.run(tainter)
  await cluster.settle()
  const taints = [{ key: 'arch', effect: 'NoSchedule' }]
  expect(await cluster.find(Node, 'node-0')).toMatchObject({ spec: { taints } })
  await operator.stop()
  cluster.run(tainter)
  const asked = await cluster.requestsDuring(60_000)
  expect(asked.filter(({ verb, userAgent }) => verb === 'patch' && userAgent === 'operator')).toEqual([])
})
