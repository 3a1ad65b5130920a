import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { NodeHere } from './node-here.ts'
import { isReady, NodeStage, nodePod } from './node-stage.ts'

const plane = attachToControlPlane()
const nodeName = 'local-node'
const stage = new NodeStage(plane, 'local-node-test')
let node: NodeHere | undefined

beforeAll(async () => {
  node = await NodeHere.start({ kubeconfigPath: plane.kubeconfigPath, name: nodeName })
  await stage.open()
})

afterAll(async () => {
  await stage.close()
  await node?.stop()
  await plane.kubectl('delete', 'node', nodeName)
})

describe('a local node of a real cluster', () => {
  it('runs a pod as a process, with its environment, and reports it as a kubelet does', async () => {
    await stage.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings' },
      data: { GREETING: 'hello' },
    })
    const script = `
      const { createServer } = require('node:http')
      createServer((q, r) => r.end(process.env.GREETING + ' ' + process.env.WHO)).listen(8080, process.env.POD_IP)`
    const env = [
      { name: 'WHO', value: 'pod $(POD_NAME)' },
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'WHOM', value: 'pod $(POD_NAME)' },
      { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ]
    const main = {
      env,
      envFrom: [{ configMapRef: { name: 'settings' } }],
      ports: [{ name: 'web', containerPort: 8080 }],
      readinessProbe: { httpGet: { path: '/', port: 'web' }, periodSeconds: 1 },
    }
    await stage.applyPod('greeter', nodePod(nodeName, script.replace('WHO)', 'WHOM)'), main))
    const pod = await stage.podThat('greeter', 'ready', isReady)
    const answer = await fetch(`http://${pod.status?.podIP}:8080`)
    expect(await answer.text()).toBe('hello pod greeter')
    expect(pod.status).toMatchObject({
      phase: 'Running',
      hostIP: '127.0.0.1',
      qosClass: 'BestEffort',
      containerStatuses: [{ name: 'main', ready: true, started: true, restartCount: 0 }],
    })
  })

  it('restarts an ended container with growing delays', async () => {
    await stage.applyPod('crasher', nodePod(nodeName, 'process.exit(3)'))
    const pod = await stage.podThat(
      'crasher',
      'in back-off',
      ({ status }) => status?.containerStatuses?.[0]?.state.waiting?.reason === 'CrashLoopBackOff',
    )
    const [status] = pod.status?.containerStatuses ?? []
    expect(status).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 3, reason: 'Error' } } })
    expect(status?.state.waiting?.message).toMatch(
      /^back-off 10s restarting failed container=main pod=crasher_local-node-test\(/,
    )
    expect(pod.status?.phase).toBe('Running')
  })

  it('stops a deleted pod in order and then removes its object', async () => {
    const script = `
      const { writeFileSync } = require('node:fs')
      const timer = setInterval(() => {}, 1000)
      process.on('SIGTERM', () => { writeFileSync(process.env.MARK, 'in order'); clearInterval(timer) })
      writeFileSync(process.env.MARK, 'up')`
    const mark = `${node?.folder}/mark`
    await stage.applyPod('polite', nodePod(nodeName, script, { env: [{ name: 'MARK', value: mark }] }))
    await stage.until('the program to be up', async () => existsSync(mark))
    await plane.kubectl('delete', 'pod', 'polite', '-n', stage.namespace, '--wait=false')
    await stage.gone('polite')
    expect(readFileSync(mark, 'utf8')).toBe('in order')
  })
})
