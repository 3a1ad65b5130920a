// Public entry point `konverge`: every name that the author of a controller imports.
export type { FieldValidation } from './apply/apply-runner.ts'
export { childNamed, type Family } from './apply/child-named.ts'
export { type Clock, sleep, timestampAt } from './base/clock.ts'
export { durationMs } from './base/duration.ts'
export { CodedError, clippedTo, type Remedy } from './base/errors.ts'
export type { Log, LogFields } from './base/instrument.ts'
export type { JsonPatchOperation } from './base/json-patch.ts'
export { nameList } from './base/name-list.ts'
export { passwordFrom, type SecretSource } from './base/random.ts'
export { type CertificateAsk, curveKeys, selfSignedCertificate } from './base/self-signed-certificate.ts'
export type { TokenBucketLimit } from './base/token-bucket.ts'
export type { CallLimit, Endpoint } from './external/endpoint.ts'
export type {
  Consistency,
  DesiredExternal,
  ExternalCall,
  ExternalChange,
  ExternalDriver,
  ExternalRecord,
  ExternalRemoval,
  ExternalReport,
  ExternalTools,
  Observation,
  Token,
} from './external/external.ts'
export { type OperatorNeeds, type OperatorRights, type PolicyRule, rightsOf } from './generate/rbac.ts'
export type { ListOptions, Location, Patch, Selection } from './kube/client.ts'
export { isKubeError, KubeError, type KubeErrorCode, type StatusCause } from './kube/kube-errors.ts'
export type { DeletedObject, ObjectEvent } from './kube/object-event.ts'
export type {
  AppliedObject,
  AuthorApplyOptions,
  AuthorDeleteCollectionOptions,
  AuthorDeleteOptions,
  AuthorWriteOptions,
  CallOptions,
  NewObject,
  OperatorClient,
  PageOf,
  PartialObjectMetadata,
  SubresourceOptions,
  UpdatedObject,
} from './kube/operator-client.ts'
export {
  APIService,
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  ControllerRevision,
  CronJob,
  CSIDriver,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  EndpointSlice,
  Endpoints,
  Event,
  HorizontalPodAutoscaler,
  Ingress,
  IngressClass,
  Job,
  Lease,
  LimitRange,
  MutatingWebhookConfiguration,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PriorityClass,
  ReplicaSet,
  ResourceQuota,
  Role,
  RoleBinding,
  RuntimeClass,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
  StorageClass,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  VolumeAttachment,
} from './object/built-in.ts'
export { type Condition, type ConditionClaim, type ConditionStatus, findCondition } from './object/condition.ts'
export {
  isBeingDeleted,
  type KubeObject,
  type LiveObject,
  type ObjectMeta,
  type OwnerReference,
  type StatusWithConditions,
  valueAt,
} from './object/object.ts'
export { isFieldAppliedByUs } from './object/ownership.ts'
export { compareQuantities, parseQuantity } from './object/quantity.ts'
export { type Key, keyFor, type Ref, refOf } from './object/ref.ts'
export { apiVersionOf, defineResource, isOf, type ObjectOf, type Resource } from './object/resource.ts'
export type { Right, Verb } from './object/right.ts'
export type { ClusterConnection } from './operator/cluster-client-loader.ts'
export type { LeaderElectionOptions } from './operator/leader-election.ts'
export type { OperatorHandle } from './operator/operator-handle.ts'
export { type RunOperatorOptions, runOperator, startOperator } from './operator/operator-runner.ts'
export type { Runnable, RunnableContext } from './operator/runnable.ts'
export type { ListenAddress, MetricsServing, ServedAddresses } from './operator/serving-runner.ts'
export type { Sharding } from './operator/sharding.ts'
export type { EventReport, LiveReader } from './reconcile/context.ts'
export type { IndexLookup, Owned, Read, Watch } from './reconcile/declared-kinds.ts'
export {
  type CleanupContext,
  type CleanupResult,
  type Controller,
  type ControllerOptions,
  type DesiredContext,
  defineController,
  type InvalidSpec,
  type ObserveContext,
  type ReconcileLimits,
  type RepairContext,
  type ResourceContext,
  type StatusContext,
} from './reconcile/definition.ts'
export type { ResourceEvent } from './reconcile/events-runner.ts'
export {
  defineExternal,
  type External,
  type ExternalContext,
  type ExternalRemovalContext,
  reportOf,
} from './reconcile/external-definition.ts'
export type { Child, Outcome } from './reconcile/outcome.ts'
export type { Repair } from './reconcile/repair.ts'
export {
  defineSaga,
  type Saga,
  type SagaContext,
  type SagaRemoval,
  type SagaRemovalContext,
  type SagaResource,
} from './reconcile/saga-definition.ts'
export type { StatusReport } from './reconcile/status.ts'
export { abandonAnnotation, isAbandoned } from './reconcile/steering.ts'
export type {
  DesiredSaga,
  Notes,
  SagaCall,
  SagaRecord,
  SagaReport,
  SagaStep,
  SagaStepRecord,
  StepObservation,
} from './saga/saga.ts'
export {
  contribute,
  coOwn,
  type Dependents,
  type HoldMessage,
  hold,
  initialOnly,
  type ReadyPredicate,
  readyWhen,
  recreateOnChange,
  retain,
  shared,
  waitForReady,
} from './synth/field-policies.ts'
export { nameKeyAnnotation } from './synth/membership.ts'
export { overlay } from './synth/overlay.ts'
export {
  addObject,
  type Declared,
  objectOf,
  type PlainFields,
  type PlainMetadata,
  type PlainObject,
} from './synth/plain-object.ts'
export { type HealthReport, healthText } from './telemetry/health.ts'
export type { HttpAddress } from './telemetry/http-server.ts'
export type { LogLevel, LogSink } from './telemetry/logger.ts'
export type { Exposition, MetricsRegistry } from './telemetry/metrics.ts'
export type { ServerCertificate } from './telemetry/server-certificate.ts'
