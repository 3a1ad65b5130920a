// Self-signed certificate of a test server, valid for a day.
import type { KeyObject } from 'node:crypto'
import { systemSecrets } from '../../src/base/random.ts'
import { curveKeys, selfSignedCertificate } from '../../src/base/self-signed-certificate.ts'

export interface CertifiedKey {
  /** PEM. */
  readonly certificate: string
  readonly privateKey: KeyObject
}

export function certifiedKey(hosts: readonly string[]): CertifiedKey {
  const { publicKey, privateKey } = curveKeys(systemSecrets)
  const notBeforeMs = Date.now() - 60_000
  const validity = { notBeforeMs, notAfterMs: notBeforeMs + 86_400_000 }
  const ask = { commonName: 'postgres', hosts, ...validity, publicKey, privateKey }
  return { certificate: selfSignedCertificate(ask), privateKey }
}
