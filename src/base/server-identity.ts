// Identity of one end of a TLS connection: a key and a self-signed certificate, created at its start. Invariant: a
// client that gets the certificate trusts this end only.
import { generateKeyPairSync } from 'node:crypto'
import { selfSignedCertificate } from './self-signed-certificate.ts'

export interface ServerIdentity {
  /** PEM; a secret. */
  readonly key: string
  /** PEM: the server's certificate, and its only authority. */
  readonly certificate: string
}

export interface ServerIdentityAsk {
  readonly commonName: string
  /** DNS names and IP addresses of the server. */
  readonly hosts: readonly string[]
  readonly nowMs: number
}

const dayMs = 24 * 3_600_000
/** For clients whose clock is behind. */
const validSinceMs = dayMs
const validForMs = 3_650 * dayMs

/** Creates an identity with a new key. */
export function newServerIdentity({ commonName, hosts, nowMs }: ServerIdentityAsk): ServerIdentity {
  const keys = generateKeyPairSync('ed25519')
  const validity = { notBeforeMs: nowMs - validSinceMs, notAfterMs: nowMs + validForMs }
  return {
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: selfSignedCertificate({ commonName, hosts, ...validity, ...keys }),
  }
}
