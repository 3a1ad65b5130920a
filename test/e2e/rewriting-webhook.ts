// Mutating admission webhook over https on loopback. It changes the value `shout` of every ConfigMap in one namespace
// to upper case. The test that starts it stops it, also when the test fails.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ControlPlaneClient } from '../control-plane/control-plane-client.ts'

interface Review {
  readonly request: { readonly uid: string; readonly object?: { readonly data?: Readonly<Record<string, string>> } }
}

export class RewritingWebhook {
  readonly #cluster: ControlPlaneClient
  readonly #namespace: string
  #server: Server | undefined

  constructor(cluster: ControlPlaneClient, namespace: string) {
    this.#cluster = cluster
    this.#namespace = namespace
  }

  async start(): Promise<void> {
    const { caFile } = this.#cluster
    // The API server's self-signed certificate is valid for 127.0.0.1, so the webhook uses it too.
    const [cert, key] = await Promise.all([
      readFile(caFile, 'utf8'),
      readFile(join(dirname(caFile), 'apiserver.key'), 'utf8'),
    ])
    const server = createServer({ cert, key }, (request, response) => void answer(request, response))
    this.#server = server
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    // A listening server has an address with a port.
    const { port } = server.address() as AddressInfo
    await this.#cluster.apply(this.#configuration(port, Buffer.from(cert).toString('base64')))
  }

  async stop(): Promise<void> {
    await this.#cluster.kubectl('delete', 'mutatingwebhookconfiguration', this.#namespace, '--ignore-not-found')
    this.#server?.closeAllConnections()
    this.#server?.close()
  }

  #configuration(port: number, caBundle: string): object {
    return {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: this.#namespace },
      webhooks: [
        {
          name: 'shout.test.konverge.dev',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': this.#namespace } },
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] },
          ],
        },
      ],
    }
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Only the API server sends requests, and it sends reviews.
  const { request: asked } = JSON.parse(await text(request)) as Review
  const shout = asked.object?.data?.['shout']
  const patch = JSON.stringify([{ op: 'replace', path: '/data/shout', value: shout?.toUpperCase() }])
  const rewritten = shout === undefined ? {} : { patchType: 'JSONPatch', patch: Buffer.from(patch).toString('base64') }
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: asked.uid, allowed: true, ...rewritten },
  }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(review))
}
