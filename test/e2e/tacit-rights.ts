/** Asked for in passing, by a request that records call by another name: an apply that creates. */
export const tacitRights: readonly string[] = [
  'create serviceaccounts',
  'create services',
  'create statefulsets.apps',
  'create poddisruptionbudgets.policy',
]

/** The same, for what stores have not. */
export const tacitRightsOfDatabases: readonly string[] = [
  // Of who reads metrics, which nobody does here (test/telemetry/protected-metrics.test.ts does).
  'create tokenreviews.authentication.k8s.io',
  'create subjectaccessreviews.authorization.k8s.io',
  // Of a child whose name is taken (test/reconcile/failures.test.ts); a creation reads nothing.
  ...['configmaps', 'serviceaccounts', 'statefulsets.apps', 'poddisruptionbudgets.policy'].map((kind) => `get ${kind}`),
  'create configmaps',
  'create secrets',
  'update databases/finalizers.data.konverge.dev',
  'update databaseusers/finalizers.data.konverge.dev',
  // Before a child is deleted, and a user has none while no server is reached.
  'get databaseusers.data.konverge.dev',
  'update migrations/finalizers.data.konverge.dev',
  'get migrations.data.konverge.dev',
  'update backups/finalizers.data.konverge.dev',
  // One that waits makes no others; a schedule does.
  ...['get', 'create', 'delete'].map((verb) => `${verb} backups.data.konverge.dev`),
  // A migration has no worker before its database is reached.
  ...['get', 'create', 'patch', 'delete'].map((verb) => `${verb} jobs.batch`),
  // Of the volume of a server that begins with a copy, which none does here.
  'create persistentvolumeclaims',
  // Of workers of a restore, which are listed while there is one.
  'get pods',
  // For the labels of a user's namespace, where a database lets others in by them.
  'get namespaces',
]
