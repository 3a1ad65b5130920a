// Attempts of a web page in the browser of a user of `konverge dev`: its API server, and the files with its
// credentials.
import { statSync } from 'node:fs'
import { request } from 'node:https'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/cli/embedded-server.ts'
import { webPageAttempts } from './attempts/web-page.ts'

let server: EmbeddedServer
beforeAll(async () => {
  server = await startEmbeddedServer({ host: '127.0.0.1', port: 0, onFault: () => undefined })
})
afterAll(() => server.stop())

describe('a web page', () => {
  it.each(webPageAttempts)('$does: $sentence', async ({ method, path, headers, body, statuses }) => {
    const answer = await ask({ method, path, headers, body })
    expect(statuses, answer.text).toContain(answer.status)
    const cors = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))
    expect(cors).toEqual([])
    const token = { authorization: `Bearer ${server.token}` }
    const planted = await ask({ method: 'GET', path: '/api/v1/namespaces/default/configmaps/planted', headers: token })
    expect(planted.status).toBe(404)
  })

  it('finds the kubeconfig in a folder that only its owner may open', () => {
    expect(statSync(server.kubeconfigPath).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(server.kubeconfigPath)).mode & 0o077).toBe(0)
  })
})

interface Ask {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

interface Answer {
  readonly status: number
  readonly headers: object
  readonly text: string
}

/** Sends a request without fetch, because a browser's fetch sets neither Host nor Cookie. */
function ask({ method, path, headers, body }: Ask): Promise<Answer> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const options = { method, path, headers, hostname, port, rejectUnauthorized: false, timeout: 10_000 }
    const outgoing = request(options, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
