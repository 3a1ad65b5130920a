// A runnable: while this process leads, a ConfigMap says how many replicas the websites have together. Outside this repository the second import
// reads: from 'konverge'.
import { setTimeout } from 'node:timers/promises'
import { ConfigMap, type Runnable } from '../../src/index.ts'
import { Website } from '../01-minimal/website.ts'

const intervalMs = 60_000

export const report: Runnable = {
  name: 'report',
  rights: [
    { resource: Website, verbs: ['list'] },
    { resource: ConfigMap, verbs: ['create', 'patch'] },
  ],
  run: async ({ client, signal, log }) => {
    while (!signal.aborted) {
      let replicas = 0
      for await (const { items } of client.pages(Website)) {
        for (const { spec } of items) replicas += spec.replicas
      }
      const metadata = { namespace: 'default', name: 'websites' }
      await client.apply(ConfigMap, { metadata, data: { replicas: String(replicas) } })
      log.info({ replicas }, 'reported')
      await setTimeout(intervalMs, undefined, { signal })
    }
  },
}
