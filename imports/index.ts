// Generated from crds by `konverge generate`. Do not edit: change the definition and generate again.
// What is generated from the definitions: descriptors and wire types, and per API group its constructs.
export * as data from './data.konverge.dev.ts'
export {
  ReplicatedKVStore,
} from './wire/replicated-kv-store.ts'
export type {
  ReplicatedKVStoreResource,
  ReplicatedKVStoreSpec,
  ReplicatedKVStoreSpecInput,
  ReplicatedKVStoreStatus,
  ReplicatedKVStoreSpecStorage,
  ReplicatedKVStoreSpecEnv,
  ReplicatedKVStoreSpecEnvValueFrom,
  ReplicatedKVStoreSpecEnvValueFromConfigMapKeyRef,
  ReplicatedKVStoreSpecEnvValueFromFieldRef,
  ReplicatedKVStoreSpecEnvValueFromSecretKeyRef,
  ReplicatedKVStoreSpecResources,
  ReplicatedKVStoreSpecPodTemplate,
  ReplicatedKVStoreSpecPodTemplateTolerations,
  ReplicatedKVStoreSpecProbes,
  ReplicatedKVStoreSpecProbesReadiness,
  ReplicatedKVStoreSpecProbesReadinessExec,
  ReplicatedKVStoreSpecProbesReadinessHttpGet,
  ReplicatedKVStoreSpecProbesReadinessTcpSocket,
  ReplicatedKVStoreSpecProbesLiveness,
  ReplicatedKVStoreSpecProbesLivenessExec,
  ReplicatedKVStoreSpecProbesLivenessHttpGet,
  ReplicatedKVStoreSpecProbesLivenessTcpSocket,
  ReplicatedKVStoreSpecPvcRetention,
  ReplicatedKVStoreSpecUpdateStrategy,
  ReplicatedKVStoreSpecPdb,
  ReplicatedKVStoreSpecStorageInput,
  ReplicatedKVStoreSpecPvcRetentionInput,
  ReplicatedKVStoreSpecPdbInput,
  ReplicatedKVStoreStatusConditions,
} from './wire/replicated-kv-store.ts'
