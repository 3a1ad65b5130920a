// Entry point `konverge/constructs`: the constructs that the operator itself uses, for any cdk8s app.
export { DatabaseServer } from './database-server.ts'
export { refusedParameter } from './database-server-config.ts'
export {
  type DatabaseServerNames,
  type DatabaseSide,
  databaseAdmin,
  databaseDataFolder,
  databaseHost,
  databaseHosts,
  databaseOfLabel,
  databasePort,
  databaseSelectorLabel,
  databaseSelectorLabels,
  databaseServerNames,
  databaseSideService,
  databaseVolumeName,
  firstDatabaseSide,
  laterDatabaseSide,
} from './database-server-names.ts'
export { databaseUserId } from './database-server-pod.ts'
export {
  type DatabaseBeside,
  type DatabaseCertificate,
  type DatabaseServerFacts,
  type DatabaseServerProps,
  type DatabaseStorage,
  databaseServerProps,
} from './database-server-props.ts'
export { databaseVolumeClaim } from './database-volume-claim.ts'
export { KvCluster } from './kv-cluster.ts'
export { type KvClusterProps, type KvStorage, kvClusterProps } from './kv-cluster-props.ts'
export {
  type KvEndpointsInput,
  type KvNames,
  kvEndpoints,
  kvNames,
  kvSelector,
  kvSelectorLabel,
  kvSelectorLabels,
  kvVolumeName,
} from './kv-names.ts'
export { OperatorInstall } from './operator-install.ts'
export type { OperatorInstallProps, OperatorKind, OperatorRule, OperatorRules } from './operator-install-props.ts'
export { operatorManifests } from './operator-manifests.ts'
export { WorkerJob } from './worker-job.ts'
export type { WorkerCredentials, WorkerJobProps } from './worker-job-props.ts'
