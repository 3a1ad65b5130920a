// Secrets of a server in the cluster: the administrator's password and the certificate. They are generated once, stored
// in Secrets, and read from there by later reconciles. Invariant: a lost password is never generated again for data
// that has the old one. Pure: randomness is a parameter.
import { X509Certificate } from 'node:crypto'
import { databaseHosts, databaseServerNames } from '../../../constructs/index.ts'
import {
  curveKeys,
  type InvalidSpec,
  type LiveObject,
  passwordFrom,
  type SecretSource,
  selfSignedCertificate,
} from '../../index.ts'
import { secretText } from './secret-text.ts'

export interface ServerSecrets {
  readonly adminPassword: string
  readonly tls: ServerCertificate
}

/** Self-signed certificate and its key, in PEM. */
export interface ServerCertificate {
  readonly certificate: string
  readonly privateKey: string
}

export interface FoundSecrets {
  readonly admin: LiveObject | undefined
  readonly tls: LiveObject | undefined
}

export interface DrawInput extends FoundSecrets {
  readonly name: string
  readonly namespace: string
  readonly nowMs: number
  readonly secrets: SecretSource
}

/** Returns the found secrets, and new ones for those that are missing. */
export function serverSecrets({ admin, tls, ...draw }: DrawInput): ServerSecrets {
  return {
    adminPassword: secretText(admin, 'password') ?? passwordFrom(draw.secrets, passwordLength),
    tls: certificateIn(tls, draw.nowMs) ?? newCertificate(draw),
  }
}

/** Returns why a volume without its password stays unchanged, and the remedy. */
export function passwordLost(name: string, volumeClaim: string): InvalidSpec {
  const { adminSecret } = databaseServerNames(name)
  const message =
    `Secret ${adminSecret} is gone, and the data in volume claim ${volumeClaim} knows no other password; put the Secret back with ` +
    `its password and the annotation konverge.dev/adopt: Database/${name}, or delete the claim to begin with nothing`
  return { reason: 'AdminSecretLost', message }
}

const passwordLength = 32
const dayMs = 86_400_000
const validityMs = 3_650 * dayMs
/**
 * Time before expiry. A new certificate restarts the server, and clients with a copy of the old one need the new one.
 */
const renewalMs = 30 * dayMs

/** Returns undefined if there is no certificate that is valid for more than `renewalMs`. */
function certificateIn(secret: LiveObject | undefined, nowMs: number): ServerCertificate | undefined {
  const certificate = secretText(secret, 'tls.crt')
  const privateKey = secretText(secret, 'tls.key')
  if (certificate === undefined || privateKey === undefined) return undefined
  return endOf(certificate) - nowMs > renewalMs ? { certificate, privateKey } : undefined
}

function endOf(certificate: string): number {
  try {
    return Date.parse(new X509Certificate(certificate).validTo)
  } catch {
    return 0 // Not a certificate.
  }
}

function newCertificate({ name, namespace, nowMs, secrets }: Omit<DrawInput, keyof FoundSecrets>): ServerCertificate {
  const pair = curveKeys(secrets)
  const hosts = databaseHosts(name, namespace)
  // Clocks of clients may be behind the operator's.
  const validity = { notBeforeMs: nowMs - dayMs, notAfterMs: nowMs + validityMs }
  const certificate = selfSignedCertificate({ commonName: name, hosts, ...validity, ...pair })
  return { certificate, privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}
