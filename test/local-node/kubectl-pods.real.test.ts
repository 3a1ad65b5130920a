// `kubectl logs` and `kubectl describe` of local processes, with the same results through the real and the embedded API
// server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import type { CommandOutcome, ControlPlaneClient } from '../control-plane/control-plane-client.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { startEmbeddedPlane } from './embedded-plane.ts'
import { NodeHere } from './node-here.ts'
import { NodeStage, nodePod } from './node-stage.ts'

const real = attachToControlPlane()
const nodeName = 'log-node'

describe.each(['real', 'embedded'] as const)('pods of a local node by kubectl on the %s API server', (name) => {
  const started = new AsyncDisposableStack()
  let plane: ControlPlaneClient
  let stage: NodeStage

  beforeAll(async () => {
    plane = real
    if (name === 'embedded') {
      const embedded = await startEmbeddedPlane(real)
      started.defer(() => embedded.stop())
      plane = embedded.plane
    }
    const node = await NodeHere.start({ kubeconfigPath: plane.kubeconfigPath, name: nodeName })
    started.defer(() => node.stop())
    stage = new NodeStage(plane, 'local-node-logs')
    await stage.open()
    started.defer(() => stage.close())
  })

  afterAll(async () => {
    await started.disposeAsync()
    if (name === 'real') await plane.kubectl('delete', 'node', nodeName)
  })

  const logs = (...args: readonly string[]): Promise<CommandOutcome> =>
    plane.kubectl('logs', '-n', stage.namespace, ...args)
  const ended = (pod: string) => stage.podThat(pod, 'over', ({ status }) => status?.phase === 'Succeeded')

  it('shows a log completely or in part, with or without timestamps', async () => {
    const script = `for (const word of ['one', 'two', 'three ü']) console.log(word)`
    await stage.applyPod('talker', nodePod(nodeName, script, {}, { restartPolicy: 'Never' }))
    await ended('talker')
    expect(await logs('talker')).toEqual({ stdout: 'one\ntwo\nthree ü\n', stderr: '', exitCode: 0 })
    expect((await logs('talker', '--tail=1')).stdout).toBe('three ü\n')
    expect((await logs('talker', '--tail=0')).stdout).toBe('')
    expect((await logs('talker', '--limit-bytes=5')).stdout).toBe('one\nt')
    expect((await logs('talker', '--since=1h')).stdout).toBe('one\ntwo\nthree ü\n')
    expect((await logs('talker', '--since-time=2999-01-01T00:00:00Z')).stdout).toBe('')
    expect((await logs('talker', '--timestamps', '--tail=1')).stdout).toMatch(/^\d{4}-\d\d-\d\dT\S+Z three ü\n$/)
  })

  it('follows a log to its end, and stops when the reader has gone', async () => {
    const script = `
      let n = 0
      const timer = setInterval(() => { console.log('line ' + n); if (++n === 5) clearInterval(timer) }, 100)`
    await stage.applyPod('counter', nodePod(nodeName, script, {}, { restartPolicy: 'Never' }))
    await stage.podThat('counter', 'started', ({ status }) => status?.phase !== 'Pending')
    const access = [`--kubeconfig=${plane.kubeconfigPath}`, `--cache-dir=${plane.kubectlCache}`, '-n', stage.namespace]
    const follower = spawn(plane.kubectlPath, [...access, 'logs', '-f', 'counter'])
    let followed = ''
    follower.stdout.on('data', (chunk: Buffer) => {
      followed += chunk.toString('utf8')
    })
    await once(follower, 'close')
    expect(followed).toBe('line 0\nline 1\nline 2\nline 3\nline 4\n')
  })

  it('shows the previous run, and each container', async () => {
    const script = `console.log('main of ' + process.env.HOSTNAME); process.exit(3)`
    const side = {
      name: 'side',
      image: 'konverge-test/node:1',
      args: ['-e', `console.log('side'); setInterval(() => {}, 9e6)`],
    }
    const spec = nodePod(nodeName, script)
    await stage.applyPod('crasher', { ...spec, containers: [...spec.containers, side] })
    await stage.podThat('crasher', 'started again', ({ status }) =>
      (status?.containerStatuses ?? []).some(({ restartCount }) => restartCount > 0),
    )
    expect((await logs('crasher', '-c', 'main', '-p')).stdout).toBe('main of crasher\n')
    // The first exit of main does not imply the first output of side.
    await waitUntil({ what: 'the word of side' }, async () => {
      const { stdout } = await logs('crasher', '-c', 'side')
      return stdout === 'side\n'
    })
    expect((await logs('crasher', '-c', 'side', '-p')).stderr).toBe(
      'Error from server (BadRequest): previous terminated container "side" in pod "crasher" not found\n',
    )
  })

  it('gives the reason if there is no log', async () => {
    const missing = { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'absent', key: 'a' } } }] }
    await stage.applyPod('unset', nodePod(nodeName, '', missing))
    await stage.podThat('unset', 'refused', ({ status }) =>
      (status?.containerStatuses ?? []).some(({ state }) => state.waiting?.reason === 'CreateContainerConfigError'),
    )
    const waiting = 'container "main" in pod "unset" is waiting to start: CreateContainerConfigError'
    expect(await logs('unset')).toEqual({
      stdout: '',
      stderr: `Error from server (BadRequest): ${waiting}\n`,
      exitCode: 1,
    })
    await stage.applyPod('seeming', nodePod(nodeName, '', { image: 'nginx:1.29', args: [] }))
    await stage.podThat('seeming', 'running', ({ status }) => status?.phase === 'Running')
    expect((await logs('seeming')).stderr).toBe(
      'Error from server (BadRequest): container "main" in pod "seeming" is simulated: no program of this machine stands for image nginx:1.29, so there is no log\n',
    )
  })

  it('describes the history of a pod as a kubelet reports it', async () => {
    const probed = { readinessProbe: { tcpSocket: { port: 1 }, periodSeconds: 1 } }
    await stage.applyPod('troubled', nodePod(nodeName, 'setTimeout(() => process.exit(1), 2_500)', probed))
    await stage.podThat(
      'troubled',
      'in back-off',
      ({ status }) => status?.containerStatuses?.[0]?.state.waiting?.reason === 'CrashLoopBackOff',
    )
    const absent = { volumes: [{ name: 'settings', configMap: { name: 'absent' } }] }
    await stage.applyPod('unmounted', nodePod(nodeName, '', {}, absent))
    await stage.applyPod('stopped', nodePod(nodeName, 'setInterval(() => {}, 9e6)'))
    await stage.podThat('stopped', 'running', ({ status }) => status?.phase === 'Running')
    await plane.kubectl('delete', 'pod', 'stopped', '-n', stage.namespace)
    const describes = async (pod: string, lines: readonly RegExp[]) =>
      stage.until(`the Events of ${pod}`, async () => {
        const { stdout } = await plane.kubectl('describe', 'pod', pod, '-n', stage.namespace)
        return lines.every((line) => line.test(stdout))
      })
    await describes('troubled', [
      /^ +Normal +Pulled .* kubelet +spec\.containers\{main\}: Container image "konverge-test\/node:1" stands for \//m,
      /^ +Normal +Created .* kubelet +spec\.containers\{main\}: Container created$/m,
      /^ +Normal +Started +\S+ \(x2 over \S+\) +kubelet +spec\.containers\{main\}: Container started$/m,
      /^ +Warning +Unhealthy .*\(x\d+ over .* Readiness probe failed: dial tcp 127\.50\.\d+\.\d+:1: connect: connection refused$/m,
      /^ +Warning +BackOff .* Back-off restarting failed container main in pod troubled_local-node-logs\(\S+\)$/m,
    ])
    await describes('unmounted', [
      /^ +Warning +FailedMount .* MountVolume\.SetUp failed for volume "settings" : configmap "absent" not found$/m,
    ])
    expect((await logs('unmounted')).stderr).toContain('is waiting to start: ContainerCreating')
    const { stdout } = await plane.kubectl('get', 'events', '-n', stage.namespace, '--field-selector=reason=Killing')
    expect(stdout).toMatch(/pod\/stopped +Stopping container main$/m)
  })
})
