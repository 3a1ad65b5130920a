// Default tolerations of pods, and the initial taint of nodes.
// Sources: k8s.io/kubernetes/plugin/pkg/admission/{defaulttolerationseconds,nodetaint}.
import { mapAt, structsAt, textAt, withEmbedded, withField, withStruct } from '../built-in/field-walk.ts'
import type { AdmissionPlugin } from './admission.ts'

const notReady = 'node.kubernetes.io/not-ready'
const unreachable = 'node.kubernetes.io/unreachable'
const tolerationSeconds = 300

/** Adds tolerations of 300 s for not-ready and unreachable nodes, unless the pod tolerates these taints itself. */
export const defaultTolerations: AdmissionPlugin = {
  mutate: ({ object, resource, subresource }) => {
    if (resource.group !== '' || resource.plural !== 'pods' || subresource !== '') return object
    const tolerations = structsAt(mapAt(object, 'spec'), 'tolerations')
    const isBorne = (key: string): boolean =>
      tolerations.some(
        (toleration) =>
          [key, ''].includes(textAt(toleration, 'key')) && ['NoExecute', ''].includes(textAt(toleration, 'effect')),
      )
    const added = [notReady, unreachable]
      .filter((key) => !isBorne(key))
      .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }))
    if (added.length === 0) return object
    return withStruct(object, 'spec', (spec) => withField(spec, 'tolerations', [...tolerations, ...added]))
  },
}

/** Taints a new node so that no pod is scheduled before its controller has seen it ready. */
export const newNodeTaint: AdmissionPlugin = {
  mutate: ({ object, operation, resource, subresource }) => {
    const isNode = resource.group === '' && resource.plural === 'nodes' && subresource === ''
    if (!isNode || operation !== 'CREATE') return object
    const taints = structsAt(mapAt(object, 'spec'), 'taints')
    const isThere = taints.some(
      (taint) => textAt(taint, 'key') === notReady && textAt(taint, 'effect') === 'NoSchedule',
    )
    if (isThere) return object
    return withEmbedded(object, 'spec', (spec) =>
      withField(spec, 'taints', [...taints, { key: notReady, effect: 'NoSchedule' }]),
    )
  },
}
