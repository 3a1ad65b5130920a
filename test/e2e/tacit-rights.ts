/** Rights that an apply needs to create an object; the record of requests calls it a patch. */
export const tacitRights: readonly string[] = [
  'create serviceaccounts',
  'create services',
  'create statefulsets.apps',
  'create poddisruptionbudgets.policy',
]

/** Rights that stories of databases do not use, beside those of stores. */
export const tacitRightsOfDatabases: readonly string[] = [
  // For clients that scrape metrics; none does here (test/telemetry/protected-metrics.test.ts does).
  'create tokenreviews.authentication.k8s.io',
  'create subjectaccessreviews.authorization.k8s.io',
  // For a child whose name is taken (test/reconcile/failures.test.ts); a creation reads nothing.
  ...['configmaps', 'serviceaccounts', 'statefulsets.apps', 'poddisruptionbudgets.policy'].map((kind) => `get ${kind}`),
  'create configmaps',
  'create secrets',
  'update databases/finalizers.data.konverge.dev',
  'update databaseusers/finalizers.data.konverge.dev',
  // The operator reads them before it deletes a child; a user has no child while no server is reachable.
  'get databaseusers.data.konverge.dev',
  'update migrations/finalizers.data.konverge.dev',
  'get migrations.data.konverge.dev',
  'update backups/finalizers.data.konverge.dev',
  // A waiting Backup creates no others; a schedule does.
  ...['get', 'create', 'delete'].map((verb) => `${verb} backups.data.konverge.dev`),
  // A migration has no worker before its database is reachable.
  ...['get', 'create', 'patch', 'delete'].map((verb) => `${verb} jobs.batch`),
  // For the volume of a server that bootstraps from a copy, which none does here.
  'create persistentvolumeclaims',
  // For workers of a restore; the operator lists them while one exists.
  'get pods',
  // For the labels of a user's namespace, if a database admits others by labels.
  'get namespaces',
]
