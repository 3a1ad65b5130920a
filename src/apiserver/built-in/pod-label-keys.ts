// `matchLabelKeys` of a pod: the server turns them into selector expressions when the pod is created.
// Source: k8s.io/kubernetes/pkg/registry/core/pod/strategy.go.
import type { JsonObject } from '../../base/json.ts'
import { mapAt, structsAt, textAt, textsAt, withField, withItems, withStruct } from './field-walk.ts'

const mandatory = 'requiredDuringSchedulingIgnoredDuringExecution'
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'

export function withLabelKeys(pod: JsonObject): JsonObject {
  const labels = mapAt(mapAt(pod, 'metadata'), 'labels')
  const chosen = (term: JsonObject): JsonObject => withChosen(term, labels)
  return withStruct(pod, 'spec', (spec) => {
    const near = withStruct(spec, 'affinity', (affinity) =>
      ['podAffinity', 'podAntiAffinity'].reduce(
        (result, kind) =>
          withStruct(result, kind, (terms) =>
            withItems(withItems(terms, mandatory, chosen), preferred, (term) =>
              withStruct(term, 'podAffinityTerm', chosen),
            ),
          ),
        affinity,
      ),
    )
    return withItems(near, 'topologySpreadConstraints', chosen)
  })
}

function withChosen(term: JsonObject, labels: JsonObject): JsonObject {
  const added = [
    ...expressions(textsAt(term, 'matchLabelKeys'), 'In', labels),
    ...expressions(textsAt(term, 'mismatchLabelKeys'), 'NotIn', labels),
  ]
  if (added.length === 0) return term
  return withStruct(term, 'labelSelector', (selector) =>
    withField(selector, 'matchExpressions', [...structsAt(selector, 'matchExpressions'), ...added]),
  )
}

function expressions(keys: readonly string[], operator: string, labels: JsonObject): readonly JsonObject[] {
  return keys
    .filter((key) => Object.hasOwn(labels, key))
    .map((key) => ({ key, operator, values: [textAt(labels, key)] }))
}
