// A runnable: while this process leads, a ConfigMap in each served namespace reports the total replicas of its
// websites. Outside this repository the first import reads: from 'konverge'.
import { ConfigMap, type Runnable } from '../../src/index.ts'
import { Website } from '../01-minimal/website.ts'

export const report: Runnable = {
  name: 'report',
  rights: [
    { resource: Website, verbs: ['list', 'watch'] },
    { resource: ConfigMap, verbs: ['create', 'patch'] },
  ],
  run: async ({ client, namespaces, log }) => {
    const leaving = new AbortController()
    const follow = async (namespace?: string) => {
      const replicas = new Map<string, number>()
      let isSynced = false
      for await (const event of client.watch(Website, { namespace, signal: leaving.signal })) {
        if (event.kind === 'synced') isSynced = true
        else if (event.kind === 'deleted') replicas.delete(event.object.uid)
        else replicas.set(event.object.metadata.uid, event.object.spec.replicas)
        if (!isSynced) continue
        const sum = [...replicas.values()].reduce((total, count) => total + count, 0)
        const metadata = { namespace: namespace ?? 'default', name: 'websites' }
        await client.apply(ConfigMap, { metadata, data: { replicas: String(sum) } })
        log.info({ namespace, replicas: sum }, 'reported')
      }
    }
    try {
      // The rights apply in the namespaces that the operator serves, or in all.
      await Promise.all(namespaces === undefined ? [follow()] : namespaces.map((namespace) => follow(namespace)))
    } finally {
      leaving.abort()
    }
  },
}
