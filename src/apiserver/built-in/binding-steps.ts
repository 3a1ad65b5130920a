// How is a pod written when it gets its node? The node and the condition together, by whoever may bind.
// Source: k8s.io/kubernetes/pkg/registry/core/pod/storage/storage.go, BindingREST.
import type { Steps } from '../strategy.ts'

export const bindingSteps: Steps = {
  prepareForUpdate: (pod) => pod,
  validateUpdate: () => [],
  warningsOnUpdate: () => [],
  resetFields: [],
}
