// Several controllers and operators in one cluster: each keeps its own fields and children, and leaves those of the others.
import { expect, it } from 'vitest'
import { ConfigMap } from '../../src/object/built-in.ts'
import { startCluster } from '../../src/testing/index.ts'
import { definitionOf, LongShop, shopController } from './sharing-controllers.ts'

it('a resource whose definition has a name of more than 63 characters gets its children', async () => {
  await using cluster = await startCluster({ definitions: [definitionOf(LongShop)] })
  cluster.run(shopController(LongShop))
  await cluster.create(LongShop, { metadata: { name: 'a' }, spec: { text: 'open' } })
  await cluster.settle()
  expect(await cluster.find(ConfigMap, 'a')).toMatchObject({ data: { open: 'yes' } })
  expect(await cluster.condition(LongShop, 'a', 'Ready')).toMatchObject({ status: 'True' })
})
