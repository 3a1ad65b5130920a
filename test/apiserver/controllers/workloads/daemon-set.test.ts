import { expect, it } from 'vitest'
import { at, clusterStage, namespace, template } from './cluster-stage.ts'

it('a DaemonSet runs one pod on each node, and replaces pods one by one', async () => {
  const stage = clusterStage(3)
  const sets = stage.kind('apps/v1', 'DaemonSet')
  const pods = stage.kind('v1', 'Pod')
  sets.create(namespace, {
    metadata: { name: 'agent', namespace },
    spec: { selector: { matchLabels: { app: 'agent' } }, template: template('agent', 'agent:1') },
  })
  await stage.settle()
  const nodes = () => pods.list(namespace).map((pod) => at(pod, 'spec', 'nodeName'))
  expect([...nodes()].sort()).toEqual(['node-0', 'node-1', 'node-2'])
  const set = () => sets.get(namespace, 'agent') ?? {}
  expect(at(set(), 'status')).toEqual({
    ...{ observedGeneration: 1, currentNumberScheduled: 3, desiredNumberScheduled: 3, numberMisscheduled: 0 },
    ...{ numberReady: 3, updatedNumberScheduled: 3, numberAvailable: 3 },
  })
  const spec = { selector: { matchLabels: { app: 'agent' } }, template: template('agent', 'agent:2') }
  sets.update(set(), (live) => ({ ...live, spec }))
  await stage.clock.advance(1_000)
  expect([...nodes()].sort()).toEqual(['node-0', 'node-1', 'node-2'])
  expect(pods.list(namespace).map((pod) => at(pod, 'spec', 'containers', 0, 'image'))).toEqual(
    Array.from({ length: 3 }, () => 'agent:2'),
  )
  stage.cluster.stop()
})
