// Identity of an end of a TLS connection: a key and a self-signed certificate, made at its start. Whoever is handed the certificate trusts this one
// server, or this one client, and nobody else.
import { generateKeyPairSync } from 'node:crypto'
import { selfSignedCertificate } from './self-signed-certificate.ts'

export interface ServerIdentity {
  /** PEM; a secret. */
  readonly key: string
  /** PEM: what the server shows, and the only authority for it. */
  readonly certificate: string
}

export interface ServerIdentityAsk {
  readonly commonName: string
  /** Names and IP addresses by which the server is reached. */
  readonly hosts: readonly string[]
  readonly nowMs: number
}

const dayMs = 24 * 3_600_000
/** For clients whose clock is behind. */
const validSinceMs = dayMs
const validForMs = 3_650 * dayMs

/** Another key each time. */
export function newServerIdentity({ commonName, hosts, nowMs }: ServerIdentityAsk): ServerIdentity {
  const keys = generateKeyPairSync('ed25519')
  const validity = { notBeforeMs: nowMs - validSinceMs, notAfterMs: nowMs + validForMs }
  return {
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: selfSignedCertificate({ commonName, hosts, ...validity, ...keys }),
  }
}
