// Steps of a pod's binding: a binding writes the node and the condition in one update.
// Source: k8s.io/kubernetes/pkg/registry/core/pod/storage/storage.go, BindingREST.
import type { Steps } from '../strategy.ts'

export const bindingSteps: Steps = {
  prepareForUpdate: (pod) => pod,
  validateUpdate: () => [],
  warningsOnUpdate: () => [],
  resetFields: [],
}
