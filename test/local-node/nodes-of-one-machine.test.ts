// Several nodes of one machine, each in its own cluster, as two runs of `konverge dev` start them: their addresses
// never collide.
import { expect, it, onTestFinished } from 'vitest'
import type { LiveObject } from '../../src/object/object.ts'
import { LocalCluster } from './local-cluster.ts'
import { isReady, nodePod } from './node-stage.ts'

const port = 8080

it('two concurrent nodes each serve a pod and a Service on the same ports', async () => {
  const [one, other] = [await startCluster(), await startCluster()]
  const [first, second] = [await serve(one, 'one'), await serve(other, 'other')]
  expect([await textAt(first.pod), await textAt(second.pod)]).toEqual(['one', 'other'])
  expect([await textAt(first.service), await textAt(second.service)]).toEqual(['one', 'other'])
})

async function startCluster(): Promise<LocalCluster> {
  const cluster = await LocalCluster.start()
  onTestFinished(() => cluster.stop())
  return cluster
}

/** Runs a program that returns its name, behind a Service; resolves when both are Ready. */
async function serve(cluster: LocalCluster, name: string) {
  const script = `
    const { createServer } = require('node:http')
    createServer((q, r) => r.end('${name}')).listen(${port}, process.env.KONVERGE_POD_IP)`
  const { namespace } = cluster
  const labels = { app: name }
  const readinessProbe = { tcpSocket: { port }, periodSeconds: 1 }
  const spec = nodePod('local', script, { readinessProbe })
  await cluster.apply(
    { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, labels }, spec },
    { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name }, spec: { selector: labels, ports: [{ port }] } },
  )
  // Sound: the object is a pod.
  const pod = await cluster.objectThat({ kind: 'Pod', name }, 'ready', (object) => isReady(object as never))
  const service = await cluster.objectThat({ kind: 'Service', name }, 'served', (object) => addressOf(object) !== '')
  return { pod: String((pod as { status?: { podIP?: string } }).status?.podIP), service: addressOf(service) }
}

function addressOf({ metadata }: LiveObject): string {
  return metadata.annotations?.['konverge.dev/local-address'] ?? ''
}

async function textAt(host: string): Promise<string> {
  return (await fetch(`http://${host}:${port}`)).text()
}
