// Converts the error of a socket, a certificate check or a proxy into one sentence that names the server, the failure
// and the remedy. Sources of codes: Node's errno and OpenSSL codes, undici's errors.
import { messageOf } from '../base/errors.ts'
import { KubeError } from './kube-errors.ts'

export interface TransportFailure {
  /** The call, as in `apply StatefulSet default/store`. */
  readonly attempt: string
  /** Name of the server in messages. */
  readonly server: string
  readonly thrown: unknown
}

/** Returns a KubeError of code `Unreachable`. */
export function unreachable({ attempt, server, thrown }: TransportFailure): KubeError {
  const codes = codesOf(thrown)
  const known = sentences.find(([matching]) => codes.some((code) => matching.test(code)))
  const why = known === undefined ? `no answer came from ${server}: ${messageOf(thrown)}` : known[1](server, thrown)
  return new KubeError({ code: 'Unreachable', message: `${attempt}: ${why}`, cause: thrown })
}

type Sentence = (server: string, thrown: unknown) => string

/** In this order: the first pattern that matches a code of the error or of its causes. */
const sentences: readonly (readonly [matching: RegExp, sentence: Sentence])[] = [
  [
    /^ECONNREFUSED$/,
    (server) => `${server} refused the connection; check that the API server runs and that its address is right`,
  ],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    (server) => `the host name of ${server} cannot be resolved; check the address and the name service`,
  ],
  [
    /^CERT_HAS_EXPIRED$|^CERT_NOT_YET_VALID$/,
    (server, thrown) =>
      `the certificate of ${server} is not valid now (${messageOf(thrown)}); renew it, or set this machine's clock`,
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$|^HOSTNAME_MISMATCH$/,
    (server, thrown) =>
      `the certificate of ${server} is for another name (${messageOf(thrown)}); use a name it holds, or set tls-server-name`,
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_(UNTRUSTED|SIGNATURE_FAILURE|REJECTED|REVOKED|CHAIN_TOO_LONG)|INVALID_CA/,
    (server, thrown) =>
      `the certificate of ${server} is not trusted (${messageOf(thrown)}); give its authority as certificate-authority-data`,
  ],
  [
    /ALERT_(CERTIFICATE|BAD_CERTIFICATE|UNKNOWN_CA|NO_CERTIFICATE|UNSUPPORTED_CERTIFICATE)|ALERT_HANDSHAKE_FAILURE/,
    (server) => `${server} did not accept our client certificate; renew it, or use the one that this cluster issued`,
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/,
    (server) => `${server} does not speak TLS; use http:// if that is meant, or another port`,
  ],
  [
    /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/,
    (server) => `${server} cannot be reached; check the network, firewalls and the address`,
  ],
  [
    /^EMFILE$/,
    (server) =>
      `not sent to ${server}: this process has no file descriptor left; raise its limit (ulimit -Hn), or serve fewer namespaces`,
  ],
  [
    /^ENFILE$/,
    (server) => `not sent to ${server}: this machine has no file descriptor left; raise its limit (fs.file-max)`,
  ],
  [
    /^EADDRNOTAVAIL$/,
    (server) =>
      `not sent to ${server}: this machine has no free port for one more connection; serve fewer namespaces, or widen net.ipv4.ip_local_port_range`,
  ],
  [
    /^UND_ERR_PRX|^UND_ERR_SOCKS5/,
    (server, thrown) => `the proxy on the way to ${server} failed (${messageOf(thrown)}); check proxy-url`,
  ],
  [
    /^(UND_ERR_DESTROYED|UND_ERR_CLOSED)$/,
    (server) => `the client of ${server} is closed; make no requests after closing it`,
  ],
  [
    /^UND_ERR_RES_EXCEEDED_MAX_SIZE$/,
    (server) => `the answer of ${server} is larger than this client accepts; ask for less, e.g. in pages`,
  ],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_ABORTED|ERR_STREAM_PREMATURE_CLOSE)$|^HPE_/,
    (server) => `the connection to ${server} broke; a write may have happened all the same`,
  ],
]

/** Returns the codes of the error, of its causes, and of the errors of an AggregateError. Visits at most 16 errors. */
function codesOf(thrown: unknown): readonly string[] {
  const codes: string[] = []
  const rest: unknown[] = [thrown]
  for (let seen = 0; rest.length > 0 && seen < 16; seen++) {
    const error = rest.shift()
    if (!(error instanceof Error)) continue
    if ('code' in error && typeof error.code === 'string') codes.push(error.code)
    rest.push(error.cause, ...(error instanceof AggregateError ? error.errors : []))
  }
  return codes
}
