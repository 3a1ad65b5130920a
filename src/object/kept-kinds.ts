// Never-deleted kinds: their deletion loses data or deletes other objects. Their objects have no owner reference, are
// never pruned, and stay when their parent is deleted.

/** Named as by `groupKindOf`. */
export const keptKinds: ReadonlySet<string> = new Set([
  'PersistentVolumeClaim',
  'Namespace',
  'CustomResourceDefinition.apiextensions.k8s.io',
])
