// Which kinds are retained without being asked? Those whose deletion loses data or takes other objects along: they carry no
// owner reference, are never pruned, and stay when their parent goes.

/** Named as by `groupKindOf`. */
export const keptKinds: ReadonlySet<string> = new Set([
  'PersistentVolumeClaim',
  'Namespace',
  'CustomResourceDefinition.apiextensions.k8s.io',
])
