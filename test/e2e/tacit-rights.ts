/** Asked for in passing, by a request that records call by another name: an apply that creates. */
export const tacitRights: readonly string[] = [
  'create serviceaccounts',
  'create services',
  'create statefulsets.apps',
  'create poddisruptionbudgets.policy',
]

/** The same, for what stores have not. */
export const tacitRightsOfDatabases: readonly string[] = [
  'create configmaps',
  'create secrets',
  'update databases/finalizers.data.konverge.dev',
  'update databaseusers/finalizers.data.konverge.dev',
  // Before a child is deleted, and a user has none while no server is reached.
  'get databaseusers.data.konverge.dev',
  // For the labels of a user's namespace, where a database lets others in by them.
  'get namespaces',
]
