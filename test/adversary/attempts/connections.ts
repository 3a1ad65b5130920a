// Attempts of an editor who leads the operator where he likes by the values of a connection Secret.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type Attempt, harmless, type Outcome } from '../attempt.ts'

const attempt = (does: string, act: Attempt['act'], outcome: Outcome): Attempt => ({
  attacker: 'editor',
  does,
  act,
  outcome,
})

/** Connection Secrets that lead elsewhere. What the Database of it says must not hold a value of the Secret. */
function leads(does: string, changes: Readonly<Record<string, string>>, outcome: Outcome): Attempt {
  return attempt(
    does,
    async (stage, name) => {
      const data = stage.credentials.data('limited', changes)
      await stage.editor.create('secret', name, { data })
      await stage.tenant.create('db', name, {
        spec: { provider: { server: { connectionSecretRef: { name }, sslMode: 'disable' } } },
      })
    },
    outcome,
  )
}

const notReady = (sentence: string) =>
  harmless(sentence, async (stage, name) => {
    await stage.untilNotReady('db', name)
    const text = JSON.stringify((await stage.editor.peek('db', name))?.status)
    if (text.includes(stage.credentials.of('limited').password)) throw new Error(text)
  })

export const connectionAttempts: readonly Attempt[] = [
  leads(
    'gives the folder of a Unix socket as the host',
    { host: '/var/run/postgresql' },
    notReady('The Database is not Ready; its condition tells no value of the Secret.'),
  ),
  leads(
    'gives an abstract socket as the host',
    { host: '@konverge' },
    notReady('The Database is not Ready; its condition tells no value of the Secret.'),
  ),
  leads(
    'gives a host with a connection string in it',
    { host: '127.0.0.1 options=-crole=postgres' },
    notReady('The Database is not Ready; its condition tells no value of the Secret.'),
  ),
  leads(
    'gives several hosts',
    { host: '127.0.0.1,evil.example' },
    notReady('The Database is not Ready; its condition tells no value of the Secret.'),
  ),
  leads(
    'gives a port beyond the last',
    { port: '99999' },
    notReady('The Database is not Ready; its condition tells no value of the Secret.'),
  ),
  leads(
    'gives a port that is SQL',
    { port: '5432; DROP' },
    notReady('The Database is not Ready; its condition tells no value of the Secret.'),
  ),
  leads(
    'gives a user with a null character',
    { username: 'limited\0options\0-csession_preload_libraries=x' },
    notReady('The Database is not Ready; its condition tells no value of the Secret.'),
  ),
  leads(
    'gives a password of 500 KB',
    { password: 'x'.repeat(500_000) },
    notReady('The Database is not Ready; its condition tells no value of the Secret.'),
  ),
  leads(
    'gives settings of the session in further keys',
    { options: '-c session_preload_libraries=x', sslrootcert: '/proc/self/environ' },
    harmless('The operator reads no key that it does not know.'),
  ),
  attempt(
    'has the operator ask an HTTP server of the cluster',
    async (stage, name) => {
      const heard: Buffer[] = []
      const server = createServer((socket) =>
        socket
          .on('error', () => undefined)
          .on('data', (bytes) => heard.push(bytes) && socket.end('HTTP/1.1 200 OK\r\n\r\nsecret of the neighbour')),
      )
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo // A listening TCP server's.
      try {
        await stage.editor.create('secret', name, { data: stage.credentials.data('limited', { port: String(port) }) })
        await stage.tenant.create('db', name, {
          spec: { provider: { server: { connectionSecretRef: { name }, sslMode: 'disable' } } },
        })
        await stage.untilNotReady('db', name)
        const text = JSON.stringify((await stage.editor.peek('db', name))?.status)
        if (text.includes('secret of the neighbour')) throw new Error(text)
        const said = Buffer.concat(heard).toString('latin1')
        if (/GET|POST|HTTP|own-limited-password/.test(said)) throw new Error(`the operator said ${said}`)
      } finally {
        server.close()
      }
    },
    harmless('It says nothing there but PostgreSQL’s first message, and tells nothing of the answer.'),
  ),
]
