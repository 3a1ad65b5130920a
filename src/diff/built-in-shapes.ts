// Facts about the built-in kinds that their objects do not show. These are empty fields that the server omits,
// quantities, base64, defaults of list keys, and values that the server adds to an atomic value. Invariant: a kind that
// is not in the table keeps its declaration unchanged.
import { assert } from '../base/assert.ts'
import type { KubeObject } from '../object/object.ts'

/** Known fields of a struct; fields that are not listed are plain. */
export interface Shape {
  readonly fields: ReadonlyMap<string, FieldShape>
  /** True if the struct is merged as one value, so that even an empty one is complete. */
  readonly isAtomic: boolean
  /** True for a kind for which the API server adds only the defaults of this table inside atomic values. */
  readonly isExact: boolean
  /**
   * True if admission fills in empty fields of a new object of the kind. Most of them never change later. No empty
   * value is held.
   */
  readonly isCompleted: boolean
}

export interface FieldShape {
  /**
   * Meaning of a declared `0`, `false`, `""`, `[]` or `{}`:
   *
   * - `stored`: the server stores it as it is.
   * - `absent`: the server omits the field, and records the owner of the empty value.
   * - `undeclared`: the server omits the field, and fills it in or records no owner. The declaration has no effect.
   */
  readonly empty: 'stored' | 'absent' | 'undeclared'
  /** Type of the value, of each item of the list, or of each entry of the map. */
  readonly holds: 'quantity' | 'base64' | 'plain' | Shape
  /**
   * Value that the server adds by itself: this text, `?` for a value that is not known here, or `*` for one without
   * effect.
   */
  readonly granted: string | undefined
  /** The key value of a list item that omits the field. */
  readonly keyDefault: string | undefined
}

/** Returns the shape of a built-in kind, or undefined for an unknown kind. */
export function shapeOfKind({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): Shape | undefined {
  return shapes().get(`${apiVersion}/${kind}`)
}

/** Metadata is the same for every kind, custom ones included. */
export function shapeOfMetadata(): Shape | undefined {
  return shapes().get('ObjectMeta')
}

// One struct per line: its name, then its fields.
//
//   name?         omitted when empty: not a pointer, and marked omitempty. An empty value declares nothing.
//                 The server has a default for it, or it is granular.
//   name~         omitted when empty, and held: a boolean, an atomic list or an atomic map, without a default
//   name:Struct   holds that struct, a list of it, or a map of it
//   name#         a quantity, or a map of quantities          name%   base64, or a map of it
//   name=value    added by the server (`?`: a value that the table does not have, `*`: any value, which has no effect)
//   name!value    default of a list key
//   @atomic       the struct is merged as one value
//   @exact        the table has all defaults of the kind that are inside atomic values. Kinds with a pod template are not
//                 exact: admission may complete their values at creation, and not all of them can change later
//   @completed    admission fills in empty fields of the kind at creation
//
// Source: the Go types of k8s.io/api v0.36.3 by reflection (`?`, `:`, `#`, `%`), its defaults.go (`=`, `!`). A field
// that is missing here by mistake costs nothing, because the comparison treats empty as absent. Inside an atomic value
// it costs a contribution one apply after each restart.
// A field that is marked `?` by mistake would lose a declared value. A test compares `~` with the published schemas.
// Volume types that only old clusters know are therefore not listed. Nor is `unschedulable` of a Node, which a
// contribution may set to false on purpose.
const table = `
v1/ConfigMap data? binaryData?%
v1/LimitRange @exact spec:LimitRangeSpec
v1/Namespace @exact spec:NamespaceSpec
v1/Node spec:NodeSpec
v1/PersistentVolumeClaim spec:PersistentVolumeClaimSpec
v1/Pod @completed spec:PodSpec
v1/ResourceQuota @exact spec:ResourceQuotaSpec
v1/Secret data?% stringData? type?
v1/Service @exact spec:ServiceSpec
v1/ServiceAccount @exact secrets?:ObjectReference imagePullSecrets~
admissionregistration.k8s.io/v1/MutatingWebhookConfiguration @exact webhooks?:MutatingWebhook
admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration @exact webhooks?:ValidatingWebhook
apps/v1/DaemonSet spec:DaemonSetSpec
apps/v1/Deployment spec:DeploymentSpec
apps/v1/ReplicaSet spec:ReplicaSetSpec
apps/v1/StatefulSet spec:StatefulSetSpec
autoscaling/v2/HorizontalPodAutoscaler @exact spec:HorizontalPodAutoscalerSpec
batch/v1/CronJob spec:CronJobSpec
batch/v1/Job spec:JobSpec
networking.k8s.io/v1/Ingress @exact spec:IngressSpec
networking.k8s.io/v1/IngressClass @exact spec:IngressClassSpec
networking.k8s.io/v1/NetworkPolicy @exact spec:NetworkPolicySpec
policy/v1/PodDisruptionBudget @exact spec:PodDisruptionBudgetSpec
rbac.authorization.k8s.io/v1/ClusterRole @exact rules:PolicyRule aggregationRule:AggregationRule
rbac.authorization.k8s.io/v1/ClusterRoleBinding @exact subjects~:Subject roleRef:RoleRef
rbac.authorization.k8s.io/v1/Role @exact rules:PolicyRule
rbac.authorization.k8s.io/v1/RoleBinding @exact subjects~:Subject roleRef:RoleRef
scheduling.k8s.io/v1/PriorityClass @exact globalDefault~ description?
storage.k8s.io/v1/StorageClass @exact parameters? mountOptions~ allowedTopologies~:TopologySelectorTerm
ObjectMeta generateName? namespace? labels? annotations? ownerReferences? finalizers?
PodSpec volumes?:Volume initContainers?:Container ephemeralContainers? restartPolicy? dnsPolicy? nodeSelector~
  serviceAccountName? serviceAccount? nodeName? hostNetwork~ hostPID~ hostIPC~ imagePullSecrets? hostname? subdomain?
  schedulerName? tolerations~:Toleration hostAliases?:HostAlias priorityClassName? readinessGates~ overhead?#
  topologySpreadConstraints?:TopologySpreadConstraint schedulingGates? resourceClaims? containers:Container
  securityContext:PodSecurityContext affinity:Affinity dnsConfig:PodDNSConfig resources:ResourceRequirements
Volume emptyDir:EmptyDirVolumeSource secret:SecretVolumeSource nfs:NFSVolumeSource
  persistentVolumeClaim:PersistentVolumeClaimVolumeSource downwardAPI:DownwardAPIVolumeSource
  configMap:ConfigMapVolumeSource projected:ProjectedVolumeSource csi:CSIVolumeSource ephemeral:EphemeralVolumeSource
  image:ImageVolumeSource
EmptyDirVolumeSource medium? sizeLimit#
SecretVolumeSource secretName? items~
NFSVolumeSource readOnly~
PersistentVolumeClaimVolumeSource readOnly~
DownwardAPIVolumeSource items~:DownwardAPIVolumeFile
DownwardAPIVolumeFile fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector
ObjectFieldSelector apiVersion?=v1
ResourceFieldSelector containerName? divisor#=0
ConfigMapVolumeSource name? items~
ProjectedVolumeSource sources:VolumeProjection
VolumeProjection secret:SecretProjection downwardAPI:DownwardAPIProjection configMap:ConfigMapProjection
  serviceAccountToken:ServiceAccountTokenProjection clusterTrustBundle:ClusterTrustBundleProjection
  podCertificate:PodCertificateProjection
SecretProjection name? items?
DownwardAPIProjection items?:DownwardAPIVolumeFile
ConfigMapProjection name? items?
ServiceAccountTokenProjection audience? expirationSeconds=3600
ClusterTrustBundleProjection labelSelector:LabelSelector
LabelSelector @atomic matchLabels? matchExpressions?:LabelSelectorRequirement
LabelSelectorRequirement values?
PodCertificateProjection signerName? keyType? credentialBundlePath? keyPath? certificateChainPath? userAnnotations?
CSIVolumeSource volumeAttributes?
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate metadata:ObjectMeta spec:PersistentVolumeClaimSpec
PersistentVolumeClaimSpec accessModes? volumeName? selector:LabelSelector resources:VolumeResourceRequirements
  volumeMode=Filesystem
VolumeResourceRequirements limits?# requests?#
ImageVolumeSource reference? pullPolicy?
Container image? command~ args~ workingDir? ports?:ContainerPort envFrom~:EnvFromSource env?:EnvVar resizePolicy?
  restartPolicyRules~:ContainerRestartRule volumeMounts?:VolumeMount volumeDevices? terminationMessagePath?
  terminationMessagePolicy? imagePullPolicy? stdin~ stdinOnce~ tty~ resources:ResourceRequirements livenessProbe:Probe
  readinessProbe:Probe startupProbe:Probe lifecycle:Lifecycle securityContext:SecurityContext
ContainerPort name? hostPort? protocol!TCP hostIP?
EnvFromSource prefix?
EnvVar value? valueFrom:EnvVarSource
EnvVarSource fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector
ResourceRequirements limits?# requests?# claims?:ResourceClaim
ResourceClaim request?
ContainerRestartRule action? exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator? values?
VolumeMount readOnly~ subPath? subPathExpr?
Probe initialDelaySeconds? timeoutSeconds? periodSeconds? successThreshold? failureThreshold? exec:ExecAction
  httpGet:HTTPGetAction tcpSocket:TCPSocketAction
ExecAction command~
HTTPGetAction path? host? scheme? httpHeaders~
TCPSocketAction host?
Lifecycle postStart:LifecycleHandler preStop:LifecycleHandler
LifecycleHandler exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction
SecurityContext capabilities:Capabilities seLinuxOptions:SELinuxOptions
Capabilities add~ drop~
SELinuxOptions user? role? type? level?
PodSecurityContext supplementalGroups~ sysctls~ seLinuxOptions:SELinuxOptions
Affinity nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
NodeAffinity preferredDuringSchedulingIgnoredDuringExecution~:PreferredSchedulingTerm
  requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
NodeSelector nodeSelectorTerms:NodeSelectorTerm
NodeSelectorTerm matchExpressions?:NodeSelectorRequirement matchFields?:NodeSelectorRequirement
NodeSelectorRequirement values?
PreferredSchedulingTerm preference:NodeSelectorTerm
PodAffinity requiredDuringSchedulingIgnoredDuringExecution~:PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution~:WeightedPodAffinityTerm
PodAffinityTerm namespaces? matchLabelKeys? mismatchLabelKeys? labelSelector:LabelSelector
  namespaceSelector:LabelSelector
WeightedPodAffinityTerm podAffinityTerm:PodAffinityTerm
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution~:PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution~:WeightedPodAffinityTerm
Toleration key? operator? value? effect?
HostAlias hostnames~
PodDNSConfig nameservers~ searches~ options~
TopologySpreadConstraint matchLabelKeys~ labelSelector:LabelSelector
ServiceSpec ports?:ServicePort selector~ clusterIP? clusterIPs? type? externalIPs~ sessionAffinity? loadBalancerIP?
  loadBalancerSourceRanges~ externalName? externalTrafficPolicy? healthCheckNodePort? publishNotReadyAddresses~
  ipFamilies?
ServicePort name? protocol!TCP nodePort?
ObjectReference namespace? name? uid? resourceVersion? fieldPath?
VolumeClaimTemplate apiVersion=v1 kind=PersistentVolumeClaim metadata:ObjectMeta spec:PersistentVolumeClaimSpec
  status=*
NamespaceSpec finalizers?
NodeSpec taints:Taint
Taint value?
ResourceQuotaSpec hard?# scopes~ scopeSelector:ScopeSelector
ScopeSelector matchExpressions?:ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement values?
LimitRangeSpec limits:LimitRangeItem
LimitRangeItem max?# min?# default?#=? defaultRequest?#=? maxLimitRequestRatio?#
DeploymentSpec minReadySeconds? paused~ selector:LabelSelector template:PodTemplateSpec strategy:DeploymentStrategy
PodTemplateSpec metadata:ObjectMeta spec:PodSpec
DeploymentStrategy type?
StatefulSetSpec volumeClaimTemplates?:VolumeClaimTemplate podManagementPolicy? minReadySeconds? selector:LabelSelector
  template:PodTemplateSpec updateStrategy:StatefulSetUpdateStrategy
  persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy
StatefulSetUpdateStrategy type?
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted? whenScaled?
DaemonSetSpec minReadySeconds? selector:LabelSelector template:PodTemplateSpec updateStrategy:DaemonSetUpdateStrategy
DaemonSetUpdateStrategy type?
ReplicaSetSpec minReadySeconds? selector:LabelSelector template:PodTemplateSpec
JobSpec podFailurePolicy:PodFailurePolicy selector:LabelSelector template:PodTemplateSpec
PodFailurePolicy rules:PodFailurePolicyRule
PodFailurePolicyRule onPodConditions?:PodFailurePolicyOnPodConditionsPattern
PodFailurePolicyOnPodConditionsPattern status=True
CronJobSpec concurrencyPolicy? jobTemplate:JobTemplateSpec
JobTemplateSpec metadata:ObjectMeta spec:JobSpec
PodDisruptionBudgetSpec selector:LabelSelector
PolicyRule apiGroups? resources? resourceNames? nonResourceURLs?
AggregationRule clusterRoleSelectors~:LabelSelector
Subject apiGroup?=rbac.authorization.k8s.io namespace?
RoleRef apiGroup?=rbac.authorization.k8s.io
IngressSpec tls~:IngressTLS rules~:IngressRule defaultBackend:IngressBackend
IngressBackend service:IngressServiceBackend
IngressServiceBackend port:ServiceBackendPort
ServiceBackendPort name? number?
IngressTLS hosts? secretName?
IngressRule host? http:HTTPIngressRuleValue
HTTPIngressRuleValue paths:HTTPIngressPath
HTTPIngressPath path? backend:IngressBackend
NetworkPolicySpec ingress~:NetworkPolicyIngressRule egress~:NetworkPolicyEgressRule policyTypes?
  podSelector:LabelSelector
NetworkPolicyIngressRule ports?:NetworkPolicyPort from?:NetworkPolicyPeer
NetworkPolicyPort protocol=TCP
NetworkPolicyPeer podSelector:LabelSelector namespaceSelector:LabelSelector ipBlock:IPBlock
IPBlock except?
NetworkPolicyEgressRule ports?:NetworkPolicyPort to?:NetworkPolicyPeer
IngressClassSpec controller?
HorizontalPodAutoscalerSpec metrics?:MetricSpec behavior:HorizontalPodAutoscalerBehavior
MetricSpec object:ObjectMetricSource pods:PodsMetricSource resource:ResourceMetricSource
  containerResource:ContainerResourceMetricSource external:ExternalMetricSource
ObjectMetricSource target:MetricTarget metric:MetricIdentifier
MetricTarget value# averageValue#
MetricIdentifier selector:LabelSelector
PodsMetricSource metric:MetricIdentifier target:MetricTarget
ResourceMetricSource target:MetricTarget
ContainerResourceMetricSource target:MetricTarget
ExternalMetricSource metric:MetricIdentifier target:MetricTarget
HorizontalPodAutoscalerBehavior scaleUp:HPAScalingRules scaleDown:HPAScalingRules
HPAScalingRules policies? tolerance#
TopologySelectorTerm matchLabelExpressions?
ValidatingWebhook rules~:RuleWithOperations matchConditions? clientConfig:WebhookClientConfig
  namespaceSelector:LabelSelector objectSelector:LabelSelector
WebhookClientConfig caBundle?%
RuleWithOperations operations? apiGroups? apiVersions? resources? scope=?
MutatingWebhook rules~:RuleWithOperations matchConditions? clientConfig:WebhookClientConfig
  namespaceSelector:LabelSelector objectSelector:LabelSelector`

let read: ReadonlyMap<string, Shape> | undefined

/** The table, parsed on first use: most programs that import this module never need it. */
function shapes(): ReadonlyMap<string, Shape> {
  read ??= readTable(table)
  return read
}

function readTable(text: string): ReadonlyMap<string, Shape> {
  const lines = new Map<string, readonly string[]>()
  for (const line of text.trim().split(/\n(?! )/)) {
    const [name = '', ...fields] = line.split(/\s+/)
    lines.set(name, fields)
  }
  const made = new Map<string, Shape>()
  const shapeNamed = (name: string): Shape => {
    const known = made.get(name)
    if (known !== undefined) return known
    const tokens = lines.get(name)
    assert(tokens !== undefined, `the table of shapes has a line for ${name}`)
    const fields = tokens.filter((token) => !token.startsWith('@')).map((token) => readField(token, shapeNamed))
    const shape = {
      fields: new Map(fields),
      isAtomic: tokens.includes('@atomic'),
      isExact: tokens.includes('@exact'),
      isCompleted: tokens.includes('@completed'),
    }
    made.set(name, shape)
    return shape
  }
  for (const name of lines.keys()) shapeNamed(name)
  return made
}

const fieldPattern =
  /^(?<name>\w+)(?<omitted>[?~])?(?:(?<mark>[#%])|:(?<struct>\w+))?(?:=(?<granted>\S+)|!(?<keyDefault>\S+))?$/

function readField(token: string, shapeNamed: (name: string) => Shape): [string, FieldShape] {
  const groups = fieldPattern.exec(token)?.groups
  assert(groups !== undefined, `${token} follows the grammar of the table of shapes`)
  const { name = '', omitted, mark, struct, granted, keyDefault } = groups
  const scalar = mark === '#' ? 'quantity' : mark === '%' ? 'base64' : 'plain'
  const empty = omitted === '~' ? 'absent' : omitted === '?' ? 'undeclared' : 'stored'
  const holds = struct === undefined ? scalar : shapeNamed(struct)
  return [name, { empty, holds, granted, keyDefault }]
}
