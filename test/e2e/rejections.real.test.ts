// Children that a real API server rejects for a time: by an admission policy, or for an allocated node port. The
// operator creates each child after the obstacle is gone, without a change of the resource.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { Bundles, installBundles } from './bundles.ts'
import { RealStoryServer } from './real-story-server.ts'
import type { StoryOperator } from './story-server.ts'

const cluster = attachToControlPlane()
const port = 31_777
const admission = { apiVersion: 'admissionregistration.k8s.io/v1' }
const policyName = 'rejections.test.konverge.dev'

const policy = {
  ...admission,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: policyName },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    },
    validations: [{ expression: "!('frozen' in object.data)", message: 'no frozen data this week' }],
  },
}
const binding = (namespace: string) => ({
  ...admission,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: policyName },
  spec: {
    policyName,
    validationActions: ['Deny'],
    matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
  },
})

const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: port }], selector: { app: name } },
})

describe('a child that the API server rejects', () => {
  let server: RealStoryServer
  let space: Bundles
  let operator: StoryOperator

  beforeAll(async () => {
    server = await RealStoryServer.start(cluster)
    space = new Bundles(server, 'rejections')
    await installBundles(server)
    await space.createNamespace()
    operator = await space.startOperator()
  })
  afterAll(async () => {
    await operator.stop()
  })

  const remove = (kind: string, name: string) => server.delete({ namespace: space.namespace, kind, name })
  /** Waits until the Bundle is Ready, and checks that its spec did not change since the rejection. */
  async function passes(name: string): Promise<void> {
    const generation = (await space.hand.find('bundles', name))?.metadata.generation
    await space.condition(name, 'Ready', 'Settled')
    expect((await space.hand.find('bundles', name))?.metadata.generation).toBe(generation)
  }
  async function isRetried(name: string): Promise<void> {
    expect(await space.condition(name, 'Progressing', 'Retrying')).not.toBe('')
    const { status } = (await space.hand.find('bundles', name)) ?? {}
    expect(JSON.stringify(status)).not.toContain('Stalled')
  }

  it('by an admission policy is created when the policy is removed', async () => {
    await server.apply(policy, binding(space.namespace))
    const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'probe' }, data: { frozen: 'yes' } }
    await space.until('the policy to deny', async () => {
      const path = `/api/v1/namespaces/${space.namespace}/configmaps?dryRun=All`
      return (await server.request({ method: 'POST', path, body: probe })).status === 422
    })
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cold' }, data: { frozen: 'yes' } }
    await space.want('denied', { object })
    expect(await space.condition('denied', 'Degraded', 'Invalid')).toContain('no frozen data this week')
    await isRetried('denied')
    await remove('validatingadmissionpolicybindings', policyName)
    await remove('validatingadmissionpolicies', policyName)
    await passes('denied')
    expect((await space.hand.find('configmap', 'cold'))?.data).toEqual({ frozen: 'yes' })
  })

  it('for a node port that is taken is created when the port becomes free', async () => {
    await server.apply({ ...service('holder'), metadata: { name: 'holder', namespace: space.namespace } })
    await space.want('late', { object: service('newcomer') })
    expect(await space.condition('late', 'Degraded', 'Invalid')).toContain('provided port is already allocated')
    await isRetried('late')
    await remove('service', 'holder')
    await passes('late')
    expect(await space.hand.find('service', 'newcomer')).toBeDefined()
  })
})
