// HTTPS client of the kubelets, at the addresses of their Nodes. The server opens no other sockets.
// It presents its own certificate, whose key a kubelet cannot reuse.
// It accepts any certificate of a kubelet, as the real server does without a kubelet CA.
// Source: k8s.io/kubernetes/pkg/kubelet/client;
// k8s.io/apiserver/pkg/registry/generic/rest/{streamer,response_checker}.go.
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { messageOf } from '../base/errors.ts'
import type { ServerIdentity } from '../base/server-identity.ts'
import type { StreamSink } from './exchange.ts'
import { goQuoted } from './field-error.ts'
import type { KubeletAnswer, Kubelets } from './pod-log.ts'
import { plainError } from './status-error.ts'

/** Time limit until a kubelet begins to answer. */
const answerLimitMs = 30_000
/** Number of bytes to read of a kubelet's error text. */
const maxRefusalBytes = 50_000

export class KubeletClient implements Kubelets {
  readonly #identity: ServerIdentity | undefined

  /** `identity` is the client certificate; absent: none. */
  constructor(identity?: ServerIdentity) {
    this.#identity = identity
  }

  async get(url: string): Promise<KubeletAnswer> {
    const response = await answerTo(url, this.#identity)
    const { statusCode = 0 } = response
    if (statusCode >= 200 && statusCode <= 206) return { kind: 'stream', pipeTo: (sink) => pipe(response, sink) }
    if (response.headers.location !== undefined) {
      response.destroy()
      throw plainError(`Get ${goQuoted(response.headers.location)}: redirects forbidden`)
    }
    return { kind: 'refused', status: statusCode, text: await textOf(response) }
  }
}

/** Rejects with a StatusError that names the reason of the failure. */
function answerTo(url: string, identity: ServerIdentity | undefined): Promise<IncomingMessage> {
  const shown = identity === undefined ? {} : { key: identity.key, cert: identity.certificate }
  return new Promise((resolve, reject) => {
    const asked = request(url, { rejectUnauthorized: false, agent: false, timeout: answerLimitMs, ...shown }, resolve)
    const giveUp = () => asked.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }))
    // A followed log may be silent for a long time.
    asked.once('timeout', giveUp).once('response', () => asked.off('timeout', giveUp))
    asked.once('error', (error) => reject(plainError(`Get ${goQuoted(url)}: ${whyNot(error, new URL(url))}`)))
    asked.end()
  })
}

/** Returns Go's message for the error if Go has one. */
function whyNot(error: Error, { host, hostname, port }: URL): string {
  const code = 'code' in error ? error.code : undefined
  const address = port === '' ? `${host}:443` : host
  if (code === 'ECONNREFUSED') return `dial tcp ${address}: connect: connection refused`
  if (code === 'EHOSTUNREACH') return `dial tcp ${address}: connect: no route to host`
  if (code === 'ETIMEDOUT') return `dial tcp ${address}: i/o timeout`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname}: no such host`
  if (code === 'ECONNRESET') return 'EOF'
  return messageOf(error)
}

/** Ends the answer regularly even if the kubelet breaks it off, as the real server does. */
function pipe(response: IncomingMessage, sink: StreamSink): () => void {
  const copied = copy(response, sink)
  copied.then(
    () => sink.close(),
    () => sink.close(),
  )
  return () => response.destroy()
}

async function copy(response: IncomingMessage, sink: StreamSink): Promise<void> {
  // Sound: without an encoding the chunks are buffers.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sink.write(chunk)
    await sink.drained?.()
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxRefusalBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxRefusalBytes).toString('utf8')
}
