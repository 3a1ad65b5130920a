// Rules of the served kinds of the groups apps, batch, policy, rbac, networking, autoscaling and scheduling.
import type { ScalePaths, ServedResource } from '../strategy.ts'
import type { BuiltInDataLoader } from './built-in-data-loader.ts'
import { controllerRevisionRules } from './controller-revision.ts'
import { cronJobRules } from './cron-job.ts'
import { daemonSetRules } from './daemon-set.ts'
import { deploymentRules } from './deployment.ts'
import { horizontalPodAutoscalerRules } from './horizontal-pod-autoscaler.ts'
import { horizontalPodAutoscalerV1 } from './horizontal-pod-autoscaler-v1.ts'
import { ingressRules } from './ingress.ts'
import { ingressClassRules } from './ingress-class.ts'
import { jobRules, servedJob } from './job.ts'
import type { KindRules } from './kind-rules.ts'
import { networkPolicyRules } from './network-policy.ts'
import { podDisruptionBudgetRules } from './pod-disruption-budget.ts'
import { priorityClassRules } from './priority-class.ts'
import { replicaSetRules } from './replica-set.ts'
import { clusterRoleRules, roleRules } from './role.ts'
import { clusterRoleBindingRules, roleBindingRules } from './role-binding.ts'
import { servedKind } from './served-kind.ts'
import { statefulSetRules } from './stateful-set.ts'

const scaled: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
}

/** By apiVersion and kind. */
export const groupKindRules: readonly (readonly [apiVersion: string, kind: string, rules: KindRules, ScalePaths?])[] = [
  ['apps/v1', 'ControllerRevision', controllerRevisionRules],
  ['apps/v1', 'DaemonSet', daemonSetRules],
  ['apps/v1', 'Deployment', deploymentRules, scaled],
  ['apps/v1', 'ReplicaSet', replicaSetRules, scaled],
  ['apps/v1', 'StatefulSet', statefulSetRules, scaled],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', horizontalPodAutoscalerRules],
  ['batch/v1', 'CronJob', cronJobRules],
  ['batch/v1', 'Job', jobRules],
  ['networking.k8s.io/v1', 'Ingress', ingressRules],
  ['networking.k8s.io/v1', 'IngressClass', ingressClassRules],
  ['networking.k8s.io/v1', 'NetworkPolicy', networkPolicyRules],
  ['policy/v1', 'PodDisruptionBudget', podDisruptionBudgetRules],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole', clusterRoleRules],
  ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', clusterRoleBindingRules],
  ['rbac.authorization.k8s.io/v1', 'Role', roleRules],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding', roleBindingRules],
  ['scheduling.k8s.io/v1', 'PriorityClass', priorityClassRules],
]

export function groupResources(data: BuiltInDataLoader): readonly ServedResource[] {
  const own = groupKindRules.map(([apiVersion, kind, rules, scale]) => {
    const [group = '', version = ''] = apiVersion.split('/')
    const served = servedKind(data, {
      name: { group, version, kind },
      rules,
      ...(scale === undefined ? {} : { scale }),
    })
    return kind === 'Job' ? { ...served, fromStored: servedJob } : served
  })
  return [...own, horizontalPodAutoscalerV1(data)]
}
