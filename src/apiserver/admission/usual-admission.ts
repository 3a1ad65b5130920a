// Admission plugins of the server in their order: those implemented here that upstream enables by default.
// Source: k8s.io/kubernetes/pkg/kubeapiserver/options/plugins.go.
import type { Random } from '../../base/random.ts'
import type { AdmissionPlugin } from './admission.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { defaultTolerations, newNodeTaint } from './node-taints.ts'
import { priorityAdmission } from './priority.ts'
import { serviceAccountAdmission } from './service-account.ts'
import { claimResize, defaultStorageClass, storageProtection } from './storage.ts'

export interface UsualAdmissionOptions {
  readonly random: Random
  /**
   * True if a controller creates the account `default` in every namespace. Otherwise the plugin would reject all pods.
   */
  readonly hasServiceAccounts: boolean
  /** True if a controller removes the initial taint of ready nodes. Otherwise they would never get pods. */
  readonly hasNodeLifecycle: boolean
  /** True if a controller removes the finalizers of unused storage. Otherwise no storage could be deleted. */
  readonly hasStorageProtection: boolean
}

export function usualAdmission(options: UsualAdmissionOptions): readonly AdmissionPlugin[] {
  const { random, hasServiceAccounts, hasNodeLifecycle, hasStorageProtection } = options
  return [
    namespaceLifecycle,
    ...(hasServiceAccounts ? [serviceAccountAdmission(random)] : []),
    ...(hasNodeLifecycle ? [newNodeTaint] : []),
    priorityAdmission,
    defaultTolerations,
    defaultStorageClass,
    ...(hasStorageProtection ? [storageProtection] : []),
    claimResize,
  ]
}
