// A status that grows large: fields that the cache drops trigger no reconcile, and everything else works. Outside this
// repository the imports read: from 'konverge' and from 'konverge/testing'.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Controller } from '../../src/index.ts'
import { startCluster } from '../../src/testing/index.ts'
import { Pipeline, pipeline, Run } from './pipeline.ts'

const definitions = ['pipeline.crd.yaml', 'run.crd.yaml'].map((file) =>
  parse(readFileSync(new URL(file, import.meta.url), 'utf8')),
)

it('follows the phase of a run, and not its steps', async () => {
  await using cluster = await startCluster({ definitions })
  /** Runs that the status function received. */
  const seen: unknown[] = []
  const status: Controller['status'] = (context) => {
    seen.push(...context.children.map(({ object }) => object.status))
    return pipeline.status(context)
  }
  cluster.run({ ...pipeline, status })
  await cluster.create(Pipeline, { metadata: { name: 'nightly' }, spec: { steps: 3 } })
  await cluster.settle()
  const engine = cluster.clientOf('engine')
  const at = { namespace: 'default', name: 'nightly' }
  const report = async (reported: object) => {
    const body = { status: reported } as never // JSON, as the engine of the runs writes it.
    const options = { fieldManager: 'engine', subresource: 'status' }
    await engine.patch(Run, at, { type: 'merge', body }, options, new AbortController().signal)
    seen.length = 0
    await cluster.settle()
  }

  await report({ phase: 'Succeeded', nodes: { a: { log: 'x'.repeat(10_000) } }, conditions: [ready] })
  expect(seen).toContainEqual({ phase: 'Succeeded', conditions: [ready] })
  expect(await cluster.condition(Pipeline, 'nightly', 'Ready')).toMatchObject({ status: 'True' })
  await report({ nodes: { b: { log: 'y'.repeat(10_000) } } })
  expect(seen).toEqual([])
  await report({ phase: 'Archived' })
  expect(await cluster.find(Pipeline, 'nightly')).toMatchObject({ status: { phase: 'Archived' } })

  await cluster.patch(Run, 'nightly', { spec: { steps: 9 } })
  await cluster.settle()
  expect(await cluster.find(Run, 'nightly')).toMatchObject({ spec: { steps: 3 }, status: { nodes: { a: {}, b: {} } } })
  // Also for the response to its own apply.
  expect(seen.filter((one) => JSON.stringify(one).includes('nodes'))).toEqual([])
})

const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'Succeeded',
  message: 'all steps have run',
  lastTransitionTime: '2025-01-01T00:00:00Z',
}
