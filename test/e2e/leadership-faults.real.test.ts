// What do replicas do when they cannot reach the lease? A control plane of their own, because its API server goes away here.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { OperatorProcess } from './operator-process.ts'
import { installDefinitions } from './stores.ts'

const electing = ['--leader-elect', '--lease-namespace', 'default', '--namespaces', 'default']
const quick = ['--lease-duration', '4', '--renew-deadline', '3', '--retry-period', '0.5']
let cluster: ControlPlane
const started: OperatorProcess[] = []

beforeAll(async () => {
  cluster = await startControlPlane({ controllers: false })
  await installDefinitions(cluster)
})
afterEach(async () => void (await Promise.all(started.splice(0).map((replica) => replica.stop()))))
afterAll(async () => await cluster.stop())

function start(kubeconfig: string, ...flags: readonly string[]): OperatorProcess {
  const replica = new OperatorProcess(kubeconfig, [...electing, ...flags])
  started.push(replica)
  return replica
}
const leads = ({ lines }: OperatorProcess) => lines.some(({ msg }) => msg === 'this process leads')

describe('an operator that takes part in an election', () => {
  it('says which right to the lease it lacks, and takes part when it is granted', async () => {
    const { kubeconfigPath } = await cluster.createServiceAccountKubeconfig({ namespace: 'default', name: 'poor' })
    const to = { namespace: 'default', serviceAccount: 'poor' }
    const read = ['get', 'list', 'watch']
    await cluster.grant({ to, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['list', 'watch'] }] })
    const poor = start(kubeconfigPath, '--retry-period', '0.5')
    await poor.until('the missing right', async () => (await poor.get('/readyz')).text.includes('leases'))
    expect((await poor.get('/readyz')).text).toMatch(
      /\[-\] leader-election: .*user "system:serviceaccount:default:poor" may not get leases\.coordination\.k8s\.io in namespace default/,
    )
    expect((await poor.get('/healthz')).status).toBe(200)
    expect(poor.lines.filter(({ msg }) => msg.startsWith('the lease cannot be reached'))).toHaveLength(1)
    const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: [...read, 'create', 'patch'] }
    await cluster.grant({ to, namespace: 'default', rules: [leases] })
    await poor.until('its election', async () => leads(poor))
    await poor.ready()
  })

  it('ends when it led and the API server is away; its standby waits, and leads when the server is back', async () => {
    const leader = await start(cluster.connection.kubeconfigPath, ...quick).ready()
    await leader.until('the leader', async () => leads(leader))
    const standby = await start(cluster.connection.kubeconfigPath, ...quick).ready()
    await cluster.stopApiServer()
    try {
      expect((await leader.exit()).code).toBe(1)
      expect(leader.stderr).toMatch(
        /^konverge: the lease default\/konverge could not be renewed within 3 s \(.+\); .*\n$/,
      )
      expect((await standby.get('/healthz')).status).toBe(200)
      expect((await standby.get('/readyz')).text).toMatch(/\[-\] leader-election: .*127\.0\.0\.1/)
    } finally {
      await cluster.startApiServer()
    }
    await standby.until('the standby to lead', async () => leads(standby))
    await standby.ready()
  })
})
