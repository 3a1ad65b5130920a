// Requests that a web page, or another user of the machine, can send to the servers of `konverge dev`.
export interface PageAttempt {
  readonly attacker: 'web page'
  readonly does: string
  readonly sentence: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Accepted status codes of the response. */
  readonly statuses: readonly number[]
}

const refusal = 'The server returns 401 or 403, and no page can read the response.'
const origin = { origin: 'https://evil.example' }
const secrets = '/api/v1/namespaces/default/secrets'
const object = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'planted' } })

function attempt(does: string, parts: Partial<PageAttempt>): PageAttempt {
  const usual = { method: 'GET', path: secrets, headers: origin, statuses: [401, 403], sentence: refusal }
  return { attacker: 'web page', does, ...usual, ...parts }
}

export const webPageAttempts: readonly PageAttempt[] = [
  attempt('reads Secrets', {}),
  attempt('reads Secrets under a DNS name of this machine (DNS rebinding)', {
    headers: { ...origin, host: 'evil.example' },
  }),
  attempt('reads Secrets as if from a page of this machine', { headers: { origin: 'http://localhost:8080' } }),
  attempt('creates an object by a form, as plain text', {
    method: 'POST',
    path: '/api/v1/namespaces/default/configmaps',
    headers: { ...origin, 'content-type': 'text/plain' },
    body: object,
  }),
  attempt('creates an object by a form, URL-encoded', {
    method: 'POST',
    path: '/api/v1/namespaces/default/configmaps',
    headers: { ...origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: object,
  }),
  attempt('sends a preflight request for the token header', {
    method: 'OPTIONS',
    headers: { ...origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
    statuses: [401, 403, 404, 405],
    sentence: 'No response has a CORS header.',
  }),
  attempt('guesses a token', { headers: { ...origin, authorization: 'Bearer admin' } }),
  attempt('sends an empty token', { headers: { ...origin, authorization: 'Bearer ' } }),
  attempt('sends a token of another scheme', { headers: { ...origin, authorization: 'Basic YWRtaW46YWRtaW4=' } }),
  attempt('sends a token in the address', { path: `${secrets}?access_token=admin&token=admin` }),
  attempt('sends a token in a cookie', { headers: { ...origin, cookie: 'token=admin; Authorization=Bearer admin' } }),
  attempt('opens a WebSocket with a token in its protocols', {
    headers: {
      ...origin,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.YWRtaW4',
    },
  }),
  attempt('names itself the administrator', {
    headers: { ...origin, 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
  }),
  attempt('names itself as a proxy does', {
    headers: { ...origin, 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' },
  }),
  attempt('overrides the method', { method: 'POST', headers: { ...origin, 'x-http-method-override': 'GET' } }),
  attempt('bypasses the path check', { path: '/version/../api/v1/namespaces/default/secrets' }),
  attempt('reads the log of a pod', { path: '/api/v1/namespaces/default/pods/a/log' }),
  attempt('reads the requests of all clients', { path: '/api/v1/events?watch=true' }),
]
