// Creates self-signed certificates for HTTPS servers, encoded here byte by byte, so that no package or program is
// needed. Source: RFC 5280 for the structure, RFC 8410 for Ed25519, RFC 5758 for ECDSA, X.690 for the encoding.
import { createECDH, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { isIP } from 'node:net'
import { assert } from './assert.ts'
import type { SecretSource } from './random.ts'

/** Content and keys of a self-signed certificate. Times are milliseconds since the epoch. */
export interface CertificateAsk {
  readonly commonName: string
  /** DNS names and IP addresses of the server. */
  readonly hosts: readonly string[]
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** A key pair of Ed25519, or of the curve P-256. */
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/**
 * Returns a key pair of the curve P-256, which every TLS client supports. PostgreSQL and its clients reject Ed25519 for
 * channel binding, because it has no digest to bind to.
 */
export function curveKeys(secrets: SecretSource): Pick<CertificateAsk, 'publicKey' | 'privateKey'> {
  const scalar = Buffer.from(secrets.bytes(32))
  // Keeps the scalar below the curve's order, whatever the random bytes.
  scalar[0] = (scalar[0] ?? 0) & 0x7f
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(scalar)
  const point = curve.getPublicKey()
  const [x, y, d] = [point.subarray(1, 33), point.subarray(33), scalar].map((bytes) => bytes.toString('base64url'))
  assert(x !== undefined && y !== undefined && d !== undefined, 'three parts are three texts')
  const privateKey = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d }, format: 'jwk' })
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

/**
 * Returns the certificate in PEM. With Ed25519 the same input gives the same certificate; ECDSA signatures are random.
 *
 * @example selfSignedCertificate({ ...curveKeys(secrets), commonName, hosts, notBeforeMs, notAfterMs })
 */
export function selfSignedCertificate(ask: CertificateAsk): string {
  const isEd25519 = ask.privateKey.asymmetricKeyType === 'ed25519'
  const algorithm = isEd25519 ? ed25519 : ecdsaWithSha256
  const name = sequence(set(sequence(commonName, text(ask.commonName))))
  const validity = sequence(time(ask.notBeforeMs), time(ask.notAfterMs))
  const publicKey = ask.publicKey.export({ type: 'spki', format: 'der' })
  const content = sequence(version3, integer(1), algorithm, name, validity, name, publicKey, extensions(ask.hosts))
  const signature = sign(isEd25519 ? null : 'sha256', content, ask.privateKey)
  const certificate = sequence(content, algorithm, element(0x03, Buffer.from([0]), signature))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

/** Tag, length and content; a length of 128 or more is preceded by the number of its own bytes. */
function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  if (length < 0x100) return Buffer.concat([Buffer.from([tag, 0x81, length]), content])
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, ...parts)
}

function set(...parts: readonly Buffer[]): Buffer {
  return element(0x31, ...parts)
}

/** From 0 to 127. */
function integer(value: number): Buffer {
  return element(0x02, Buffer.from([value]))
}

function text(value: string): Buffer {
  return element(0x0c, Buffer.from(value, 'utf8'))
}

function identifier(...bytes: readonly number[]): Buffer {
  return element(0x06, Buffer.from(bytes))
}

/** GeneralizedTime. RFC 5280 requires UTCTime before 2050, with two digits for the year. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return digits < '2050' ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits))
}

/**
 * Only the alternative names. Without basic constraints it is no authority: some clients reject a server that presents
 * one.
 */
function extensions(hosts: readonly string[]): Buffer {
  const alternatives = sequence(alternativeNames, element(0x04, sequence(...hosts.map(alternativeName))))
  return element(0xa3, sequence(alternatives))
}

function alternativeName(host: string): Buffer {
  switch (isIP(host)) {
    case 4:
      return element(0x87, Buffer.from(host.split('.').map(Number)))
    case 6:
      return element(0x87, addressBytes(host))
    default:
      return element(0x82, Buffer.from(host, 'ascii'))
  }
}

/** The 16 bytes of an IPv6 address; certificates have no zones. */
function addressBytes(address: string): Buffer {
  // URL writes an address without a dotted part, and its longest run of zeros as `::`.
  const [withoutZone = ''] = address.split('%', 1)
  const [head = '', tail] = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1).split('::')
  const words = (text: string) => (text === '' ? [] : text.split(':'))
  const before = words(head)
  const after = words(tail ?? '')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return Buffer.from([...before, ...zeros, ...after].map((word) => word.padStart(4, '0')).join(''), 'hex')
}

const version3 = element(0xa0, integer(2))
const ed25519 = sequence(identifier(0x2b, 0x65, 0x70)) // 1.3.101.112
const ecdsaWithSha256 = sequence(identifier(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)) // 1.2.840.10045.4.3.2
const commonName = identifier(0x55, 0x04, 0x03) // 2.5.4.3
const alternativeNames = identifier(0x55, 0x1d, 0x11) // 2.5.29.17
