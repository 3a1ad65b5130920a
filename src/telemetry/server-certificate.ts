// The certificate of the HTTPS server of /metrics: the one that is given, or one of this process' own. A scraper that wants to know whom it
// asks needs a given one. Pure: time and chance come in.

import type { SecretSource } from '../base/random.ts'
import { curveKeys, selfSignedCertificate } from '../base/self-signed-certificate.ts'

/** PEM. */
export interface ServerCertificate {
  readonly key: string
  readonly cert: string
}

const hourMs = 3_600_000
/** A process does not live so long. */
const validMs = 10 * 365 * 24 * hourMs

export function ownCertificate(hosts: readonly string[], secrets: SecretSource, nowMs: number): ServerCertificate {
  const keys = curveKeys(secrets)
  const times = { notBeforeMs: nowMs - hourMs, notAfterMs: nowMs + validMs }
  const cert = selfSignedCertificate({ commonName: 'konverge metrics', hosts, ...times, ...keys })
  return { key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert }
}
