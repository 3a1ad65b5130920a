// Certificate of the HTTPS server of /metrics: a given one, or one that this process signs. A scraper that verifies the
// server needs a given one. Pure: time and randomness are injected.

import type { SecretSource } from '../base/random.ts'
import { curveKeys, selfSignedCertificate } from '../base/self-signed-certificate.ts'

/** Private key and certificate, each as PEM. */
export interface ServerCertificate {
  readonly key: string
  readonly cert: string
}

const hourMs = 3_600_000
/** Validity of the certificate, longer than a process lives. */
const validMs = 10 * 365 * 24 * hourMs

export function ownCertificate(hosts: readonly string[], secrets: SecretSource, nowMs: number): ServerCertificate {
  const keys = curveKeys(secrets)
  const times = { notBeforeMs: nowMs - hourMs, notAfterMs: nowMs + validMs }
  const cert = selfSignedCertificate({ commonName: 'konverge metrics', hosts, ...times, ...keys })
  return { key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert }
}
