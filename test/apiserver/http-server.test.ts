import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { ApiServer } from '../../src/apiserver/api-server.ts'
import { startHttpServer } from '../../src/apiserver/http-server.ts'
import { systemClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'

interface Exchange {
  readonly sent: string
  readonly requestLimitMs?: number
}

/** Returns what a client receives until the connection ends, and the server's internal errors. */
async function heard({ sent, ...limits }: Exchange): Promise<{ text: string; faults: unknown[] }> {
  const faults: unknown[] = []
  const random = seededRandom(1)
  const server = new ApiServer({ clock: systemClock, random, resources: [], catalogue: [] })
  const http = await startHttpServer({ server, random, port: 0, onFault: (thrown) => faults.push(thrown), ...limits })
  const socket = connect(http.port, '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  socket.write(sent)
  await once(socket, 'close')
  await http.close()
  return { text, faults }
}

it('ends a request whose body is late, without reporting an internal error', async () => {
  const sent = 'POST /api/v1/pods HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{'
  const { text, faults } = await heard({ sent, requestLimitMs: 50 })
  expect(text).toContain('HTTP/1.1 408 Request Timeout')
  expect(faults).toEqual([])
})

it('accepts selectors as long as the real server does, and sends a content-length', async () => {
  const sent = `GET /healthz?labelSelector=${'a'.repeat(200_000)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`
  const { text } = await heard({ sent })
  expect(text).toMatch(/^HTTP\/1.1 200 OK.*\r\ncontent-length: 2\r\n.*\r\n\r\nok$/s)
})
