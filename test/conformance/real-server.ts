// Access of the suite to the real API server: over TLS, with the tokens of the control plane that vitest started.
import { readFileSync } from 'node:fs'
import { Agent, fetch } from 'undici'
import type { ControlPlaneConnection } from '../control-plane/control-plane-client.ts'
import { FetchedServer } from './fetched-server.ts'

export function realServer({ url, caFile, token, kubeconfigs }: ControlPlaneConnection): FetchedServer {
  const dispatcher = new Agent({ connect: { ca: readFileSync(caFile, 'utf8') } })
  return new FetchedServer({
    name: 'real',
    tokens: { admin: token, nobody: tokenIn(kubeconfigs.nobody) },
    send: (target, message) => fetch(new URL(target, url), { ...message, dispatcher }),
  })
}

function tokenIn(path: string): string {
  const { users } = JSON.parse(readFileSync(path, 'utf8')) as { users: [{ user: { token: string } }] } // From users.ts.
  return users[0].user.token
}
