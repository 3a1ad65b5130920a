import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { machinePostgres } from '../../src/cli/dev/machine-postgres.ts'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { NodeHere } from './node-here.ts'
import { isReady, NodeStage, nodePod } from './node-stage.ts'

const plane = attachToControlPlane()
const nodeName = 'workload-node'
const stage = new NodeStage(plane, 'local-node-workloads')
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

const labels = (app: string) => ({ selector: { matchLabels: { app } } })
const podIpVariable = { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }
const serve = (body: string) =>
  `require('node:http').createServer((q, r) => r.end(${body})).listen(8080, process.env.POD_IP)`
const read = (path: string) => `require('node:fs').readFileSync('${path}', 'utf8')`

async function status(path: string): Promise<Record<string, unknown>> {
  return JSON.parse((await plane.request({ method: 'GET', path })).text).status ?? {}
}

describe('workloads on a local node', () => {
  it('a Deployment with ConfigMap, Secret, token, downward API and all probes becomes available', async () => {
    await stage.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { 'app.conf': 'blue' } })
    await stage.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web' }, stringData: { key: 's3' } })
    const body = [
      read('/etc/web/app.conf'),
      read('/etc/all/secret/key'),
      read('/etc/all/labels'),
      `process.env.KEY`,
      `${read('/var/run/secrets/kubernetes.io/serviceaccount/token')}.split('.').length`,
      `${read('/var/run/secrets/kubernetes.io/serviceaccount/namespace')}`,
      `${read('/var/run/secrets/kubernetes.io/serviceaccount/ca.crt')}.slice(0, 10)`,
    ].join(" + '|' + ")
    const spec = nodePod(
      nodeName,
      serve(body),
      {
        env: [podIpVariable, { name: 'KEY', valueFrom: { secretKeyRef: { name: 'web', key: 'key' } } }],
        ports: [{ name: 'http', containerPort: 8080 }],
        startupProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1, failureThreshold: 30 },
        readinessProbe: { httpGet: { port: 'http' }, periodSeconds: 1 },
        livenessProbe: {
          exec: { command: [process.execPath, '-e', read('/etc/web/app.conf')] },
          periodSeconds: 1,
          timeoutSeconds: 5,
        },
        volumeMounts: [
          { name: 'conf', mountPath: '/etc/web', readOnly: true },
          { name: 'all', mountPath: '/etc/all' },
        ],
      },
      {
        volumes: [
          { name: 'conf', configMap: { name: 'web' } },
          {
            name: 'all',
            projected: {
              sources: [
                { secret: { name: 'web', items: [{ key: 'key', path: 'secret/key' }] } },
                { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: "metadata.labels['app']" } }] } },
              ],
            },
          },
        ],
      },
    )
    const template = { metadata: { labels: { app: 'web' } }, spec }
    await stage.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas: 2, ...labels('web'), template },
    })
    const path = `/apis/apps/v1/namespaces/${stage.namespace}/deployments/web`
    await stage.until('the Deployment to be available', async () => (await status(path))['availableReplicas'] === 2)
    const pods = (await stage.pods()).filter(({ metadata }) => metadata.labels?.['app'] === 'web')
    const answers = await Promise.all(pods.map(async (pod) => (await fetch(`http://${pod.status?.podIP}:8080`)).text()))
    const expected = `blue|s3|web|s3|3|${stage.namespace}|-----BEGIN`
    expect(answers).toEqual([expected, expected])
    expect(new Set(pods.map((pod) => pod.status?.podIP)).size).toBe(2)
    expect(pods.map((pod) => pod.status?.containerStatuses?.[0]?.restartCount)).toEqual([0, 0])
  })

  it('a container restarts when its liveness probe fails, and a failed start has its reason', async () => {
    const livenessProbe = { httpGet: { port: 8080 }, periodSeconds: 1, failureThreshold: 2 }
    const script = `require('node:http').createServer((q, r) => { r.statusCode = 500; r.end() }).listen(8080, process.env.POD_IP)`
    await stage.applyPod('sick', nodePod(nodeName, script, { env: [podIpVariable], livenessProbe }))
    const env = [{ name: 'X', valueFrom: { secretKeyRef: { name: 'absent', key: 'x' } } }]
    await stage.applyPod('unset', nodePod(nodeName, '', { env }))
    const sick = await stage.podThat(
      'sick',
      'restarted',
      ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1,
    )
    expect(sick.status?.containerStatuses?.[0]?.lastState.terminated).toMatchObject({ exitCode: 143, reason: 'Error' })
    const unset = await stage.podThat(
      'unset',
      'refused',
      ({ status }) => status?.containerStatuses?.[0]?.state.waiting?.message !== undefined,
    )
    expect(unset.status?.containerStatuses?.[0]?.state.waiting).toEqual({
      reason: 'CreateContainerConfigError',
      message: 'secret "absent" not found',
    })
    expect(unset.status?.phase).toBe('Pending')
  })

  it('a Job completes, with init containers in order and a shared emptyDir', async () => {
    const append = (word: string) => `require('node:fs').appendFileSync('/shared-words/all', '${word} ')`
    const volumeMounts = [{ name: 'work', mountPath: '/shared-words' }]
    const step = (name: string, script: string) => ({
      name,
      image: 'konverge-test/node:1',
      args: ['-e', script],
      volumeMounts,
    })
    const script = `if (${read('/shared-words/all')} !== 'one two ') process.exit(1); console.log('done')`
    const spec = nodePod(
      nodeName,
      script,
      { volumeMounts },
      {
        restartPolicy: 'Never',
        volumes: [{ name: 'work', emptyDir: {} }],
        initContainers: [step('first', append('one')), step('second', append('two'))],
      },
    )
    await stage.apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'once' },
      spec: { template: { spec } },
    })
    const path = `/apis/batch/v1/namespaces/${stage.namespace}/jobs/once`
    await stage.until('the Job to succeed', async () => (await status(path))['succeeded'] === 1)
    const { stdout } = await plane.kubectl('logs', 'job/once', '-n', stage.namespace)
    expect(stdout).toBe('done\n')
  })

  it('a StatefulSet keeps its data when its pod is recreated', async () => {
    const script = `
      const { appendFileSync, readFileSync } = require('node:fs')
      appendFileSync('/data/starts', 'x')
      ${serve("readFileSync('/data/starts', 'utf8')")}`
    const spec = nodePod(nodeName, script, {
      env: [podIpVariable],
      readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    })
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
    await stage.apply({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'store' },
      spec: {
        replicas: 1,
        ...labels('store'),
        template: { metadata: { labels: { app: 'store' } }, spec },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
      },
    })
    const first = await stage.podThat('store-0', 'ready', isReady)
    await plane.kubectl('delete', 'pod', 'store-0', '-n', stage.namespace)
    const second = await stage.podThat(
      'store-0',
      'ready again',
      (pod) => pod.metadata.uid !== first.metadata.uid && isReady(pod),
    )
    expect(await (await fetch(`http://${second.status?.podIP}:8080`)).text()).toBe('xx')
  })

  it('logs are shown, and followed to the end', async () => {
    const script = `
      let n = 0
      const timer = setInterval(() => { console.log('line ' + n); if (++n === 5) clearInterval(timer) }, 100)`
    await stage.applyPod('talker', nodePod(nodeName, script, {}, { restartPolicy: 'Never' }))
    await stage.podThat('talker', 'started', ({ status }) => status?.phase !== 'Pending')
    const access = [`--kubeconfig=${plane.kubeconfigPath}`, `--cache-dir=${plane.kubectlCache}`, '-n', stage.namespace]
    const follower = spawn(plane.kubectlPath, [...access, 'logs', '-f', 'talker'])
    let followed = ''
    follower.stdout.on('data', (chunk: Buffer) => {
      followed += chunk.toString('utf8')
    })
    await once(follower, 'close')
    expect(followed).toBe('line 0\nline 1\nline 2\nline 3\nline 4\n')
    const tail = await plane.kubectl('logs', 'talker', '-n', stage.namespace, '--tail=1', '--timestamps')
    expect(tail.stdout).toMatch(/^\d{4}-\d\d-\d\dT\S+Z line 4\n$/)
  })

  it('the termination message of a container is reported, or the end of its log', async () => {
    const write = `require('node:fs').writeFileSync(process.argv[1], 'gave up'); process.exit(2)`
    const written = { args: ['-e', write, '/run/last'], terminationMessagePath: '/run/last' }
    const script = `console.log('x'.repeat(3000)); console.log('the end'); process.exit(2)`
    const logged = { terminationMessagePolicy: 'FallbackToLogsOnError' }
    const never = { restartPolicy: 'Never' }
    await stage.applyPod('written', nodePod(nodeName, '', written, never))
    await stage.applyPod('logged', nodePod(nodeName, script, logged, never))
    const messageOf = async (name: string) => {
      const pod = await stage.podThat(name, 'over', ({ status }) => status?.phase === 'Failed')
      return pod.status?.containerStatuses?.[0]?.state.terminated?.message
    }
    expect(await messageOf('written')).toBe('gave up')
    const message = await messageOf('logged')
    expect(message).toHaveLength(2_048)
    expect(message).toMatch(/x\nthe end\n$/)
  })

  it.skipIf(process.getuid?.() !== 0)(
    'a container runs as its user, which owns its volumes, and an Event names ignored fields',
    async () => {
      const script = `
      const { writeFileSync, readFileSync } = require('node:fs')
      writeFileSync('/data/mine', 'x')
      writeFileSync('here', 'x')
      console.log(process.getuid(), process.getgid(), readFileSync('/key/token', 'utf8').length > 0)`
      const main = {
        resources: { limits: { memory: '1Gi' } },
        volumeMounts: [
          { name: 'data', mountPath: '/data' },
          { name: 'key', mountPath: '/key', readOnly: true },
        ],
      }
      const token = { serviceAccountToken: { path: 'token' } }
      const spec = nodePod(nodeName, script, main, {
        restartPolicy: 'Never',
        securityContext: { runAsUser: 4321, runAsGroup: 1234, runAsNonRoot: true },
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'key', projected: { sources: [token] } },
        ],
      })
      await stage.applyPod('other', spec)
      await stage.podThat('other', 'over', ({ status }) => ['Succeeded', 'Failed'].includes(status?.phase ?? ''))
      expect((await plane.kubectl('logs', 'other', '-n', stage.namespace)).stdout).toBe('4321 1234 true\n')
      const events = [
        'get',
        'events',
        '-n',
        stage.namespace,
        '--field-selector=reason=LocalNodeIgnores',
        '-o=jsonpath={.items[*].message}',
      ]
      await stage.until('the Event', async () =>
        (await plane.kubectl(...events)).stdout.includes(' ignores resources.limits; docs/local-node.md'),
      )
    },
  )

  it('connections to a Service at a loopback address reach its ready pods in turn', async () => {
    const script = serve('process.env.HOSTNAME')
    const ready = { readinessProbe: { httpGet: { port: 'web' }, periodSeconds: 1 } }
    const spec = nodePod(nodeName, script, {
      env: [podIpVariable],
      ports: [{ name: 'web', containerPort: 8080 }],
      ...ready,
    })
    const metadata = { labels: { app: 'served' } }
    const ports = [{ port: 9090, targetPort: 'web' }]
    await stage.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'served' },
      spec: { selector: metadata.labels, ports },
    })
    for (const name of ['served-a', 'served-b']) await stage.applyPod(name, spec, metadata)
    for (const name of ['served-a', 'served-b']) await stage.podThat(name, 'ready', isReady)
    const path = `/api/v1/namespaces/${stage.namespace}/services/served`
    let address = ''
    await stage.until('the address', async () => {
      const { annotations = {} } = JSON.parse((await plane.request({ method: 'GET', path })).text).metadata
      address = annotations['konverge.dev/local-address'] ?? ''
      return address !== ''
    })
    const ask = async () => (await fetch(`http://${address}:9090`, { headers: { connection: 'close' } })).text()
    expect([await ask(), await ask()].toSorted()).toEqual(['served-a', 'served-b'])
    for (const name of ['served-a', 'served-b']) await plane.kubectl('delete', 'pod', name, '-n', stage.namespace)
    await expect(ask()).rejects.toThrow('fetch failed')
    await plane.kubectl('delete', 'service', 'served', '-n', stage.namespace)
  })

  it('unknown images are simulated, and exec is rejected with one sentence', async () => {
    const simulated = { image: 'nginx:1.29', args: [], readinessProbe: { httpGet: { port: 80 } } }
    await stage.applyPod('web-like', nodePod(nodeName, '', simulated))
    const pod = await stage.podThat('web-like', 'ready', isReady)
    expect(pod.status?.phase).toBe('Running')
    const exec = await plane.kubectl('exec', 'web-like', '-n', stage.namespace, '--', 'ls')
    expect(exec.stderr).toContain('the local node does not serve exec')
  })

  it.skipIf(machinePostgres().versions.length === 0)('the machine’s PostgreSQL runs as its own user', async () => {
    const postgres = {
      image: 'postgres:16',
      args: ['-c', 'max_connections=7'],
      env: [
        { name: 'POSTGRES_PASSWORD', value: 'secret' },
        { name: 'POSTGRES_DB', value: 'app' },
      ],
      volumeMounts: [{ name: 'data', mountPath: '/var/lib/postgresql/data' }],
      readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
    }
    await stage.applyPod('postgres', nodePod(nodeName, '', postgres, { volumes: [{ name: 'data', emptyDir: {} }] }))
    const pod = await stage.podThat('postgres', 'ready', isReady)
    expect(pod.status?.containerStatuses?.[0]?.restartCount).toBe(0)
    const { stdout } = await plane.kubectl('logs', 'postgres', '-n', stage.namespace)
    expect(stdout).toContain('database system is ready to accept connections')
    await plane.kubectl('delete', 'pod', 'postgres', '-n', stage.namespace)
    await stage.gone('postgres')
  })
})
