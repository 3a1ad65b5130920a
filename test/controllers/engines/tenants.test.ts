// Several namespaces with roles of their own on one server: the failures of one refuse none of the others.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { silentInstruments } from '../../../src/base/instrument.ts'
import { systemRandom } from '../../../src/base/random.ts'
import { postgresEngine } from '../../../src/controllers/engines/postgres/postgres-driver.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import { ToolBox } from '../../../src/external/tool-box.ts'

const signal = new AbortController().signal

/** Answers the start of a session with one error, by the role that logs in. */
async function serverThatSays(errors: Readonly<Record<string, readonly [sqlState: string, message: string]>>) {
  const logins: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', (start) => {
      const role = /\0?user\0([^\0]+)\0/.exec(start.toString('latin1'))?.[1] ?? ''
      logins.push(role)
      const [sqlState, message] = errors[role] ?? ['XX000', 'unknown role']
      const body = Buffer.from(`SFATAL\0C${sqlState}\0M${message}\0\0`)
      const head = Buffer.alloc(5)
      head.write('E', 'latin1')
      head.writeInt32BE(body.length + 4, 1)
      socket.end(Buffer.concat([head, body]))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo // A listening TCP server's.
  return { port, logins }
}

it('a namespace whose sessions the server ends opens no breaker of another, and shows it no message of its own', async () => {
  const { port, logins } = await serverThatSays({
    evil: ['57P01', 'terminating connection due to administrator command'],
    victim: ['28P01', 'password authentication failed for user "victim"'],
  })
  const tools = new ToolBox({ clock: systemClock, random: systemRandom, instruments: silentInstruments })
  const engine = postgresEngine(tools)
  onTestFinished(async () => {
    for (const close of tools.closers) await close()
  })
  const observes = async (namespace: string) => {
    const access: ServerAccess = {
      ...{ host: '127.0.0.1', port, username: namespace, password: 'any' },
      ...{ maintenanceDatabase: 'postgres', tls: 'disable' },
    }
    const caller = { kind: 'Database', namespace, name: 'orders' }
    return await engine
      .server(access, { caller, signal })
      .observe({})
      .catch((thrown: unknown) => thrown)
  }
  for (let count = 0; count < 4; count++) expect(await observes('evil')).toMatchObject({ code: 'ServerUnreachable' })
  for (let count = 0; count < 3; count++)
    expect(await observes('evil')).toMatchObject({ code: 'DependencyUnavailable' })
  expect(logins).toEqual(['evil', 'evil', 'evil', 'evil', 'evil'])

  const answer = await observes('victim')
  expect(answer).toMatchObject({ code: 'AdminAuthFailed' })
  expect(String(answer)).not.toContain('administrator command')
  expect(logins.at(-1)).toBe('victim')
  // Nor does an answer to the victim close the breaker of the other.
  expect(await observes('evil')).toMatchObject({ code: 'DependencyUnavailable' })
})
