import { generateKeyPairSync, sign, verify, X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { seededSecrets } from '../../src/base/random.ts'
import { curveKeys, selfSignedCertificate } from '../../src/base/self-signed-certificate.ts'

const keys = generateKeyPairSync('ed25519')

describe('keys of the curve P-256', () => {
  it('follow from the random bytes, whatever they are', () => {
    const drawn = [0x7f, 0x80, 0xff].map((byte) => new Uint8Array(32).fill(byte))
    const pairs = drawn.map((bytes) => curveKeys({ bytes: () => bytes }))
    for (const { publicKey, privateKey } of pairs) {
      expect(verify('sha256', Buffer.from('a'), publicKey, sign('sha256', Buffer.from('a'), privateKey))).toBe(true)
    }
    const pem = (seed: number) => curveKeys(seededSecrets(seed)).publicKey.export({ type: 'spki', format: 'pem' })
    expect(pem(1)).toBe(pem(1))
    expect(pem(1)).not.toBe(pem(2))
  })

  it('sign a certificate', () => {
    const pair = curveKeys(seededSecrets(1))
    const hosts = ['db.shop.svc']
    const pem = selfSignedCertificate({ commonName: 'db', hosts, notBeforeMs: 0, notAfterMs: 1e12, ...pair })
    const certificate = new X509Certificate(pem)
    expect(certificate.verify(pair.publicKey)).toBe(true)
    expect(certificate.checkHost('db.shop.svc')).toBe('db.shop.svc')
    expect(certificate.checkPrivateKey(pair.privateKey)).toBe(true)
  })
})

describe('a self-signed certificate', () => {
  it.each([
    { from: Date.UTC(2026, 0, 2, 3, 4, 5), to: Date.UTC(2049, 11, 31), until: 'Dec 31 00:00:00 2049 GMT' },
    { from: Date.UTC(2026, 0, 2, 3, 4, 5), to: Date.UTC(2050, 0, 1), until: 'Jan  1 00:00:00 2050 GMT' },
  ])('names its subject, is valid until $until, and is signed by itself', ({ from, to, until }) => {
    const validity = { notBeforeMs: from, notAfterMs: to }
    const pem = selfSignedCertificate({
      commonName: 'a-node',
      hosts: ['localhost', '127.0.0.1', '10.0.0.7'],
      ...validity,
      ...keys,
    })
    const certificate = new X509Certificate(pem)
    expect(certificate.subject).toBe('CN=a-node')
    expect(certificate.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1, IP Address:10.0.0.7')
    expect(certificate.validFrom).toBe('Jan  2 03:04:05 2026 GMT')
    expect(certificate.validTo).toBe(until)
    expect(certificate.verify(keys.publicKey)).toBe(true)
    expect(certificate.checkIP('10.0.0.7')).toBe('10.0.0.7')
    expect(certificate.checkHost('localhost')).toBe('localhost')
  })

  it.each([
    { host: '::1', as: '0:0:0:0:0:0:0:1' },
    { host: '::', as: '0:0:0:0:0:0:0:0' },
    { host: '2001:db8::5:0:0:7', as: '2001:DB8:0:0:5:0:0:7' },
    { host: '1:2:3:4:5:6:7:8', as: '1:2:3:4:5:6:7:8' },
    { host: 'fe80::1%eth0', as: 'FE80:0:0:0:0:0:0:1' },
    { host: '::ffff:10.0.0.7', as: '0:0:0:0:0:FFFF:A00:7' },
  ])('is for the IPv6 address $host', ({ host, as }) => {
    const pem = selfSignedCertificate({ commonName: 'six', hosts: [host], notBeforeMs: 0, notAfterMs: 1e12, ...keys })
    expect(new X509Certificate(pem).subjectAltName).toBe(`IP Address:${as}`)
  })

  it('accepts names of any length', () => {
    for (const length of [1, 64, 127, 128, 255, 300]) {
      const commonName = 'n'.repeat(length)
      const pem = selfSignedCertificate({ commonName, hosts: [], notBeforeMs: 0, notAfterMs: 1e12, ...keys })
      expect(new X509Certificate(pem).subject).toBe(`CN=${commonName}`)
    }
  })
})
