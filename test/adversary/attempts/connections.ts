// Attempts of an editor who redirects the operator by the values of a connection Secret.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { secretText } from '../../taint/secret-text.ts'
import { type Attempt, condition, harmless, type Outcome } from '../attempt.ts'

const attempt = (does: string, act: Attempt['act'], outcome: Outcome): Attempt => ({
  attacker: 'editor',
  does,
  act,
  outcome,
})

/**
 * Creates a connection Secret that leads elsewhere. The status of its Database must not contain a value of the Secret.
 */
function leads(does: string, changes: Readonly<Record<string, string>>, outcome: Outcome): Attempt {
  return attempt(
    does,
    async (stage, name) => {
      await stage.editor.create('secret', name, stage.credentials.opened('limited', changes))
      await stage.tenant.create('db', name, {
        spec: { provider: { server: { connectionSecretRef: { name }, sslMode: 'disable' } } },
      })
    },
    outcome,
  )
}

/** The operator stops at this value of the Secret before it connects, and reports the value nowhere. */
const stopsAt = (reason: string, message: RegExp): Outcome => {
  const outcome = condition('db', `Ready False ${reason}`, message)
  return {
    ...outcome,
    sentence: `The Database gets Ready=False, reason ${reason}; its condition shows no value of the Secret.`,
    check: async (stage, name) => {
      await outcome.check(stage, name)
      const text = JSON.stringify((await stage.editor.peek('db', name))?.status)
      if (text.includes(stage.credentials.of('limited').password)) throw new Error(text)
    },
  }
}

export const connectionAttempts: readonly Attempt[] = [
  leads(
    'sets the host to the folder of a Unix socket',
    { host: '/var/run/postgresql' },
    stopsAt('InvalidHost', /^host in Secret/),
  ),
  leads('sets the host to an abstract socket', { host: '@konverge' }, stopsAt('InvalidHost', /^host in Secret/)),
  leads(
    'sets a host that contains a connection string',
    { host: '127.0.0.1 options=-crole=postgres' },
    stopsAt('InvalidHost', /^host in Secret/),
  ),
  leads('sets several hosts', { host: '127.0.0.1,evil.example' }, stopsAt('InvalidHost', /^host in Secret/)),
  leads('sets a port above 65535', { port: '99999' }, stopsAt('InvalidPort', /^port in Secret/)),
  leads('sets a port that is SQL', { port: '5432; DROP' }, stopsAt('InvalidPort', /^port in Secret/)),
  leads(
    'sets a user with a NUL character',
    { username: 'limited\0options\0-csession_preload_libraries=x' },
    stopsAt('InvalidLogin', /^username of the server/),
  ),
  leads(
    'sets a password of 500 KB',
    { password: secretText('a long password').repeat(15_625) },
    stopsAt('AdminAuthFailed', /28P01 password authentication failed/),
  ),
  leads(
    'sets session settings in additional keys',
    { options: '-c session_preload_libraries=x', sslrootcert: '/proc/self/environ' },
    harmless('The operator reads only the keys that it defines.'),
  ),
  attempt(
    'makes the operator connect to an HTTP server of the cluster',
    async (stage, name) => {
      const heard: Buffer[] = []
      const server = createServer((socket) =>
        socket
          .on('error', () => undefined)
          .on('data', (bytes) => heard.push(bytes) && socket.end('HTTP/1.1 200 OK\r\n\r\nsecret of the neighbour')),
      )
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo // A listening TCP server has an address.
      try {
        await stage.editor.create('secret', name, stage.credentials.opened('limited', { port: String(port) }))
        await stage.tenant.create('db', name, {
          spec: { provider: { server: { connectionSecretRef: { name }, sslMode: 'disable' } } },
        })
        await condition('db', 'Ready False ServerUnreachable', /the server sends a message of 1414811695 bytes/).check(
          stage,
          name,
        )
        const text = JSON.stringify((await stage.editor.peek('db', name))?.status)
        if (text.includes('secret of the neighbour')) throw new Error(text)
        const said = Buffer.concat(heard).toString('latin1')
        if (!said.includes('user\0limited\0')) throw new Error(`the operator said ${JSON.stringify(said)}`)
        if (/GET|POST|HTTP|own-limited-password/.test(said)) throw new Error(`the operator said ${said}`)
      } finally {
        server.close()
      }
    },
    harmless('The operator sends only PostgreSQL’s first message and reports no part of the response.', {
      reasons: ['ServerUnreachable', 'DependencyUnavailable'],
    }),
  ),
]
