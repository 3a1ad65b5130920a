// Several namespaces with their own roles on one server. Invariant: failures of one namespace reject no call of
// another.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../../src/base/clock.ts'
import { silentInstruments } from '../../../src/base/instrument.ts'
import { systemRandom } from '../../../src/base/random.ts'
import type { DatabaseEngine } from '../../../src/controllers/engines/engine.ts'
import { postgresEngine } from '../../../src/controllers/engines/postgres/postgres-driver.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import { ToolBox } from '../../../src/external/tool-box.ts'
import { SimClock } from '../../../src/testing/sim-clock.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'

const signal = new AbortController().signal

type Reply = readonly [sqlState: string, message: string] | 'silence'

interface Login {
  readonly role: string
  readonly database: string
}

/** Answers the start of each session with one error, or not at all. */
async function serverThatReplies(reply: (login: Login) => Reply) {
  const logins: Login[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', (start) => {
      const value = (key: string) => new RegExp(`\\0${key}\\0([^\\0]+)`).exec(start.toString('latin1'))?.[1] ?? ''
      const login = { role: value('user'), database: value('database') }
      logins.push(login)
      const said = reply(login)
      if (said === 'silence') return
      const body = Buffer.from(`SFATAL\0C${said[0]}\0M${said[1]}\0\0`)
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
  const { port } = server.address() as AddressInfo // A listening TCP server has this address.
  return { port, logins }
}

function engineBy(clock: Clock): DatabaseEngine {
  const tools = new ToolBox({ clock, random: systemRandom, instruments: silentInstruments })
  onTestFinished(async () => {
    for (const close of tools.closers) await close()
  })
  return postgresEngine(tools)
}

function accessTo(port: number, username: string, maintenanceDatabase = 'postgres'): ServerAccess {
  const { host, password } = { host: '127.0.0.1', password: 'any' }
  return { host, port, username, password, maintenanceDatabase, tls: 'disable' }
}

const callerIn = (namespace: string, name = 'orders') => ({ kind: 'Database', namespace, name })
const refusal = ['28P01', 'password authentication failed'] as const

it('a namespace whose sessions the server ends opens no breaker of another, and shows it no message of its own', async () => {
  const ended = ['57P01', 'terminating connection due to administrator command'] as const
  const { port, logins } = await serverThatReplies(({ role }) => (role === 'evil' ? ended : refusal))
  const engine = engineBy(systemClock)
  const observes = async (namespace: string) => {
    const server = engine.server(accessTo(port, namespace), { caller: callerIn(namespace), signal })
    return await server.observe({}).catch((thrown: unknown) => thrown)
  }
  for (let count = 0; count < 4; count++) expect(await observes('evil')).toMatchObject({ code: 'ServerUnreachable' })
  for (let count = 0; count < 3; count++)
    expect(await observes('evil')).toMatchObject({ code: 'DependencyUnavailable' })
  expect(logins.map(({ role }) => role)).toEqual(['evil', 'evil', 'evil', 'evil', 'evil'])

  const answer = await observes('victim')
  expect(answer).toMatchObject({ code: 'AdminAuthFailed' })
  expect(String(answer)).not.toContain('administrator command')
  expect(logins.at(-1)?.role).toBe('victim')
  // An answer to the victim also does not close the attacker's breaker.
  expect(await observes('evil')).toMatchObject({ code: 'DependencyUnavailable' })
})

it('a namespace that shares the credential of another never holds all its sessions, nor all calls', async () => {
  const { port, logins } = await serverThatReplies(({ database }) => (database === 'of_guest' ? 'silence' : refusal))
  const engine = engineBy(new SimClock())
  // The credential is the same; the name of the database identifies the caller to the server.
  const [ofGuest, ofHome] = [accessTo(port, 'shared', 'of_guest'), accessTo(port, 'shared', 'of_home')]
  const giving = new AbortController()
  const guestCalls = (count: number) =>
    Array.from({ length: count }, () =>
      engine
        .server(ofGuest, { caller: callerIn('guest'), signal: giving.signal })
        .observe({})
        .catch(() => 'given up'),
    )
  const observes = async () =>
    await engine
      .server(ofHome, { caller: callerIn('home'), signal })
      .observe({})
      .catch((thrown: unknown) => thrown)
  const guests = () => logins.filter(({ database }) => database === 'of_guest').length

  const calls = guestCalls(3)
  expect(await observes()).toMatchObject({ code: 'AdminAuthFailed' })
  calls.push(...guestCalls(20))
  expect(await observes()).toMatchObject({ code: 'AdminAuthFailed' })
  expect(await observes()).toMatchObject({ code: 'AdminAuthFailed' })
  await waitUntil({ what: 'the guest to have its share' }, async () => guests() === 4)

  const visits = Array.from({ length: 5 }, (_, at) =>
    engine.visit(ofGuest, { caller: callerIn('guest', `guest-${at}`), signal: giving.signal }).catch(() => undefined),
  )
  const leave = await engine.visit(ofHome, { caller: callerIn('home'), signal })
  leave()
  giving.abort()
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['given up']))
  for (const end of await Promise.all(visits)) end?.()
})
