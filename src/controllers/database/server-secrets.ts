// What does a server in the cluster keep secret? Its administrator's password and its certificate: drawn once, kept in its Secrets,
// and found there again at every later turn. A password that is lost is never drawn anew over data that knows the old one. Pure:
// chance comes in.
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

/** In PEM. It is its own authority. */
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

/** Those that were found, and new ones for what was not. */
export function serverSecrets({ admin, tls, ...draw }: DrawInput): ServerSecrets {
  return {
    adminPassword: secretText(admin, 'password') ?? passwordFrom(draw.secrets, passwordLength),
    tls: certificateIn(tls, draw.nowMs) ?? newCertificate(draw),
  }
}

/** Why a volume without its password is left alone, and what to do. */
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
/** A new certificate restarts the server, and whoever keeps a copy of the old one has to get it. */
const renewalMs = 30 * dayMs

/** Undefined where there is none that will do for a while. */
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
    return 0 // Somebody has written something else there.
  }
}

function newCertificate({ name, namespace, nowMs, secrets }: Omit<DrawInput, keyof FoundSecrets>): ServerCertificate {
  const pair = curveKeys(secrets)
  const hosts = databaseHosts(name, namespace)
  // Clocks of clients may be behind ours.
  const validity = { notBeforeMs: nowMs - dayMs, notAfterMs: nowMs + validityMs }
  const certificate = selfSignedCertificate({ commonName: name, hosts, ...validity, ...pair })
  return { certificate, privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}
