// The constructs that the operator itself uses, for anybody's cdk8s app.
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
} from './kv-names.ts'
