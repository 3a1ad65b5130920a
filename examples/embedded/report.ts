// A runnable: while this process leads, a ConfigMap says how many replicas the websites have together. Outside this repository the first import
// reads: from 'konverge'.
import { ConfigMap, type Runnable } from '../../src/index.ts'
import { Website } from '../01-minimal/website.ts'

export const report: Runnable = {
  name: 'report',
  rights: [
    { resource: Website, verbs: ['list', 'watch'] },
    { resource: ConfigMap, verbs: ['create', 'patch'] },
  ],
  run: async ({ client, log }) => {
    const replicas = new Map<string, number>()
    let isSynced = false
    for await (const event of client.watch(Website)) {
      if (event.kind === 'synced') isSynced = true
      else if (event.kind === 'deleted') replicas.delete(event.object.uid)
      else replicas.set(event.object.metadata.uid, event.object.spec.replicas)
      if (!isSynced) continue
      const sum = [...replicas.values()].reduce((total, count) => total + count, 0)
      const metadata = { namespace: 'default', name: 'websites' }
      await client.apply(ConfigMap, { metadata, data: { replicas: String(sum) } })
      log.info({ replicas: sum }, 'reported')
    }
  },
}
