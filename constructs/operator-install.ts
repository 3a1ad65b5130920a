// Objects that install an operator: a restricted namespace, a service account with exactly the given rules, a
// Deployment, a PodDisruptionBudget, and a Service for metrics. Invariant: same props, same bytes, in an applicable
// order.
import { ApiObject } from 'cdk8s'
import { Construct } from 'constructs'
import type { Manifest } from './manifest.ts'
import type { OperatorInstallProps, OperatorRule } from './operator-install-props.ts'
import { dataPolicySpecs, operatorPolicySpec, usualEgressPorts } from './operator-network-policies.ts'
import { metricsPorts, operatorLabels, operatorPodSpec, operatorPort, operatorSelectorLabels } from './operator-pod.ts'
import { userRoles } from './operator-user-roles.ts'

type KindOfRole = 'ClusterRole' | 'Role'
type Settled = OperatorInstallProps &
  Required<Pick<OperatorInstallProps, 'name' | 'namespace' | 'replicas'>> & {
    /** Name of the objects that all shards share; `name` is that of the shard. */
    readonly operator: string
  }

const rbacGroup = 'rbac.authorization.k8s.io'

/**
 * An installed operator. Every object sets its namespace itself, so the chart should have none: cdk8s would also set it
 * on cluster-scoped objects.
 *
 * @example new OperatorInstall(chart, 'operator', { name: 'shops', image: 'registry.example.com/shop-operator:1.2.0', rules })
 */
export class OperatorInstall extends Construct {
  readonly namespace: ApiObject
  readonly serviceAccount: ApiObject
  readonly metricsService: ApiObject
  readonly deployment: ApiObject
  /** Absent unless requested. */
  readonly networkPolicy?: ApiObject
  /** Absent for a single replica, where it would only block node drains. */
  readonly podDisruptionBudget?: ApiObject
  readonly #props: Settled

  /** @throws {RangeError} if name, namespaces, shard or replicas cannot make a working operator. */
  constructor(scope: Construct, id: string, props: OperatorInstallProps) {
    super(scope, id)
    const { name: operator, shard, namespace = `${operator}-system`, replicas = 2, networkPolicy } = props
    const name = shard === undefined ? operator : `${operator}-${shard}`
    this.#props = { ...props, operator, name, namespace, replicas }
    refuseImpossible(this.#props)
    const matchLabels = operatorSelectorLabels(name)
    const [ownPort] = metricsPorts(props.metricsPort)
    // Only the kubelet uses the probes, and it needs no Service.
    const served = [ownPort ?? operatorPort]

    this.namespace = new ApiObject(this, 'namespace', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: namespace,
        labels: { ...operatorLabels(operator), 'pod-security.kubernetes.io/enforce': 'restricted' },
      },
    })
    this.serviceAccount = this.#at('service-account', 'v1', 'ServiceAccount', { automountServiceAccountToken: false })
    this.#grantAll()
    this.#grantPeople()
    this.metricsService = this.#at('metrics-service', 'v1', 'Service', {
      spec: {
        selector: matchLabels,
        ports: served.map(({ name: port, number }) => ({
          ...{ name: port, port: number, protocol: 'TCP', targetPort: port },
        })),
      },
    })
    if (networkPolicy !== undefined) {
      const { egressPorts = usualEgressPorts, includesDataPods = false } = networkPolicy
      const spec = operatorPolicySpec(matchLabels, {
        ingressPorts: [operatorPort.number, ...(ownPort === undefined ? [] : [ownPort.number])],
        egressPorts,
      })
      this.networkPolicy = this.#at('network-policy', 'networking.k8s.io/v1', 'NetworkPolicy', { spec })
      if (includesDataPods) this.#confineDataPods(egressPorts)
    }
    const template = { metadata: { labels: operatorLabels(name) }, spec: operatorPodSpec(this.#props) }
    this.deployment = this.#at('deployment', 'apps/v1', 'Deployment', {
      spec: { replicas, selector: { matchLabels }, template },
    })
    if (replicas < 2) return
    this.podDisruptionBudget = this.#at('pod-disruption-budget', 'policy/v1', 'PodDisruptionBudget', {
      spec: { maxUnavailable: 1, selector: { matchLabels } },
    })
  }

  /** Creates an object with the operator's name, in its namespace. */
  #at(id: string, apiVersion: string, kind: string, fields: Manifest): ApiObject {
    const { name, namespace } = this.#props
    return new ApiObject(this, id, {
      apiVersion,
      kind,
      metadata: { name, namespace, labels: { ...operatorLabels(name) } },
      ...fields,
    })
  }

  /**
   * One ClusterRole grants rights in all namespaces; a Role per namespace grants rights in some. Their names contain
   * the operator's namespace, so that a second operator in another namespace does not remove the rights of the first
   * one.
   */
  #grantAll(): void {
    const { name, namespace, namespaces, rules } = this.#props
    const { namespaced, cluster, home } = rules
    const fullName = `${namespace}:${name}`
    this.#grant('cluster', 'ClusterRole', { name: fullName }, namespaces ? cluster : [...namespaced, ...cluster])
    for (const place of new Set(namespaces)) {
      this.#grant(`in-${place}`, 'Role', { name: fullName, namespace: place }, namespaced)
    }
    this.#grant('home', 'Role', { name, namespace }, home)
  }

  /** Grants people rights on the kinds, wherever they have `view`, `edit` or `admin`; the same for all shards. */
  #grantPeople(): void {
    const { operator: name, namespace, kinds = [], metricsPort } = this.#props
    if (metricsPort !== undefined) {
      new ApiObject(this, 'role-metrics', {
        ...{ apiVersion: `${rbacGroup}/v1`, kind: 'ClusterRole' },
        metadata: { name: `${namespace}:${name}:metrics`, labels: { ...operatorLabels(name) } },
        rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
      })
    }
    for (const role of userRoles(kinds)) {
      const metadata = {
        name: `${namespace}:${name}:${role.name}`,
        labels: { ...operatorLabels(name), ...role.labels },
      }
      const apiVersion = `${rbacGroup}/v1`
      new ApiObject(this, `role-${role.name}`, { apiVersion, kind: 'ClusterRole', metadata, rules: role.rules })
    }
  }

  #confineDataPods(egressPorts: readonly number[]): void {
    const { name, namespace, namespaces } = this.#props
    for (const place of new Set(namespaces)) {
      for (const [end, spec] of Object.entries(dataPolicySpecs(egressPorts))) {
        new ApiObject(this, `network-policy-${place}-${end}`, {
          ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
          metadata: {
            ...{ name: `${namespace}.${name}.${end}`, namespace: place },
            labels: { ...operatorLabels(name) },
          },
          spec,
        })
      }
    }
  }

  #grant(
    id: string,
    kind: KindOfRole,
    place: { readonly name: string; readonly namespace?: string },
    rules: readonly OperatorRule[],
  ): void {
    if (rules.length === 0) return
    const { name, namespace } = this.#props
    const apiVersion = `${rbacGroup}/v1`
    const metadata = { ...place, labels: { ...operatorLabels(name) } }
    new ApiObject(this, `role-${id}`, { apiVersion, kind, metadata, rules })
    new ApiObject(this, `role-binding-${id}`, {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: rbacGroup, kind, name: place.name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    })
  }
}

function refuseImpossible({ name, namespace, namespaces, replicas, terminationGracePeriodSeconds }: Settled): void {
  const refuse = (text: string, rule: string) => {
    throw new RangeError(`OperatorInstall ${name}: ${text}; ${rule}`)
  }
  const isLabel = (text: string) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text) && text.length <= 63
  const rule = "use at most 63 of a-z, 0-9 and '-', and neither begin nor end with '-'"
  if (!isLabel(name) || /^[0-9]/.test(name)) refuse(`objects cannot take this name`, `${rule}, nor begin with a digit`)
  const wrong = [namespace, ...(namespaces ?? [])].find((label) => !isLabel(label))
  if (wrong !== undefined) refuse(`'${wrong}' cannot be a namespace`, rule)
  if (namespaces?.length === 0)
    refuse('there is no namespace to look after', 'name one, or leave namespaces out for all')
  if (!Number.isInteger(replicas) || replicas < 1) {
    refuse(`${replicas} replicas cannot do any work`, 'use a whole number from 1')
  }
  if (
    terminationGracePeriodSeconds !== undefined &&
    !(Number.isInteger(terminationGracePeriodSeconds) && terminationGracePeriodSeconds > 0)
  ) {
    refuse(`pods cannot stop in ${terminationGracePeriodSeconds} seconds`, 'use a whole number of seconds from 1')
  }
}
