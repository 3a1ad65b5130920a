import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { ConfigMap, Job } from '../../src/index.ts'
import { startCluster } from '../../src/testing/index.ts'
import { Report, report } from './report.ts'

const definition = parse(readFileSync(new URL('report.crd.yaml', import.meta.url), 'utf8'))
const sales = { metadata: { name: 'sales' }, spec: { image: 'registry.example/report:1', query: 'select 1' } }

it('applies plain objects beside those that it added to the chart', async () => {
  await using cluster = await startCluster({ definitions: [definition], simulatedNodes: 1 })
  cluster.run(report)
  await cluster.create(Report, sales)
  await cluster.settle()
  expect(await cluster.find(ConfigMap, 'sales')).toMatchObject({ data: { QUERY: 'select 1' } })
  expect(await cluster.find(ConfigMap, 'sales-readme')).toMatchObject({ data: { owner: 'sales' } })
})

it('runs one Job for each value of spec.run', async () => {
  await using cluster = await startCluster({ definitions: [definition], simulatedNodes: 1 })
  const operator = cluster.run(report)
  const names = async () => (await cluster.list(Job)).map(({ metadata }) => metadata.name)
  await cluster.create(Report, sales)
  await cluster.settle()
  const [first = '', ...others] = await names()
  expect([first, others]).toEqual([expect.stringMatching(/^sales-[0-9a-f]{10}$/), []])

  await operator.stop()
  cluster.run(report)
  await cluster.settle()
  expect(await names()).toEqual([first])

  await cluster.patch(Report, 'sales', { spec: { run: 'again' } })
  await cluster.settle()
  const [second, ...more] = await names()
  expect([second, more]).toEqual([expect.not.stringMatching(first), []])
  expect(await cluster.condition(Report, 'sales', 'Ready')).toMatchObject({ status: 'True' })
})

it('leaves a Report without finalizer, labels and annotations, and its children to the garbage collector', async () => {
  await using cluster = await startCluster({ definitions: [definition], simulatedNodes: 1 })
  cluster.run(report)
  await cluster.create(Report, sales)
  await cluster.settle()
  const { finalizers, labels, annotations } = (await cluster.find(Report, 'sales'))?.metadata ?? {}
  expect({ finalizers, labels, annotations }).toEqual({})
  await cluster.delete(Report, 'sales')
  await cluster.settle()
  expect([await cluster.list(Job), await cluster.find(ConfigMap, 'sales')]).toEqual([[], undefined])
})
