import { describe, expect, it } from 'vitest'
import { requestedUser } from '../../src/local-node/container-user.ts'
import { ignoredFields } from '../../src/local-node/ignored-fields.ts'
import type { ContainerSpec, PodSpec } from '../../src/local-node/pod.ts'
import { aPod } from './pods.ts'

const main = (more: Partial<ContainerSpec>): Partial<PodSpec> => ({
  containers: [{ name: 'main', image: 'app', ...more }],
})
const ignored = (spec: Partial<PodSpec>, userId = 1000) => ignoredFields(aPod({ spec }), () => userId)

describe('ignored fields of a local node', () => {
  it.each<[string, Partial<PodSpec>, readonly string[]]>([
    ['nothing that it keeps', main({ resources: { requests: { cpu: '1' } }, terminationMessagePath: '/t' }), []],
    ['limits', main({ resources: { limits: { memory: '1Gi' } } }), ['resources.limits']],
    [
      'mounts that are only read',
      {
        ...main({ volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true }] }),
        volumes: [{ name: 'v', emptyDir: {} }],
      },
      ['volumeMounts.readOnly'],
    ],
    [
      'no mount of what the node writes itself',
      {
        ...main({ volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true }] }),
        volumes: [{ name: 'v', projected: {} }],
      },
      [],
    ],
    [
      'confinement, of a container or its pod',
      {
        ...main({ securityContext: { readOnlyRootFilesystem: true, privileged: false } }),
        securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      },
      ['securityContext.readOnlyRootFilesystem', 'securityContext.seccompProfile'],
    ],
    ['a user that it cannot switch to', main({ securityContext: { runAsUser: 5 } }), ['securityContext.runAsUser']],
    ['no user that it is', { ...main({}), securityContext: { runAsUser: 1000, runAsNonRoot: true } }, []],
    [
      'ephemeral containers',
      { ...main({}), ephemeralContainers: [{ name: 'debug' }], hostAliases: [] },
      ['ephemeralContainers'],
    ],
  ])('is %s', (_, spec, fields) => expect(ignored(spec)).toEqual(fields))

  it('include a runAsNonRoot that is not met', () => {
    expect(ignored({ ...main({}), securityContext: { runAsNonRoot: true } }, 0)).toEqual([
      'securityContext.runAsNonRoot',
    ])
  })
})

describe('the user of a container', () => {
  it.each<[string, Partial<PodSpec>, object | undefined]>([
    ['nobody in particular', main({}), undefined],
    ['the pod’s', { ...main({}), securityContext: { runAsUser: 5, runAsGroup: 6 } }, { uid: 5, gid: 6 }],
    [
      'its own over the pod’s',
      { ...main({ securityContext: { runAsUser: 7 } }), securityContext: { runAsUser: 5, fsGroup: 8 } },
      { uid: 7, gid: 8 },
    ],
    ['of the group of his number', main({ securityContext: { runAsUser: 7 } }), { uid: 7, gid: 7 }],
  ])('is %s', (_, spec, user) => {
    const pod = aPod({ spec })
    expect(pod.spec.containers.map((container) => requestedUser(pod, container))).toEqual([user])
  })
})
