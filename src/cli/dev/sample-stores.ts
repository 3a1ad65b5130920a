// Which stores does `npm start` show, besides those of examples/? A few of different sizes, in namespaces of their own.
// Pure.

const namespaces = ['games', 'media', 'shop']

const stores = [
  { namespace: 'games', name: 'leaderboard', spec: { replicas: 3 } },
  { namespace: 'games', name: 'lobby', spec: { replicas: 1 } },
  { namespace: 'media', name: 'playlists', spec: { replicas: 2 } },
  { namespace: 'media', name: 'thumbnails', spec: { replicas: 4, storageClassName: 'fast', storage: { size: '5Gi' } } },
]

/** The files of examples/ that fit a control plane on which kwok plays the nodes; their stores live in `shop`. */
export const sampleFiles = ['kv-store.yaml', 'kv-store-custom.yaml']

/** Namespaces first: what is in them comes later. */
export const sampleObjects: readonly object[] = [
  ...namespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
  ...stores.map(({ namespace, name, spec }) => ({
    apiVersion: 'data.konverge.dev/v1alpha1',
    kind: 'ReplicatedKVStore',
    metadata: { namespace, name },
    spec: { image: 'valkey/valkey:8.0', ...spec },
  })),
]
