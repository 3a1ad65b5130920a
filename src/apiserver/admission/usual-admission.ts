// Which plugins does the server run, and in which order? Those that the real one has on by itself, as far as they are there.
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
  /** Somebody makes the account `default` in every namespace; without it no pod could be created. */
  readonly hasServiceAccounts: boolean
  /** Somebody makes nodes that are ready lose their first taint; without it none would ever get pods. */
  readonly hasNodeLifecycle: boolean
  /** Somebody takes the finalizers off storage that nobody uses; without it none could be deleted. */
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
