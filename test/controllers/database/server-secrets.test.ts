// Generated secrets of an in-cluster server: the first values, the kept ones, and the cases of a new value.
import { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { seededSecrets } from '../../../src/base/random.ts'
import { passwordLost, serverSecrets } from '../../../src/controllers/database/server-secrets.ts'
import { secret } from './databases.ts'

const dayMs = 86_400_000
const nowMs = Date.UTC(2026, 10, 21)
const place = { name: 'shop-db', namespace: 'shop' }
const draw = (seed: number, found: object = {}, atMs = nowMs) =>
  serverSecrets({ ...place, admin: undefined, tls: undefined, ...found, nowMs: atMs, secrets: seededSecrets(seed) })
const kept = ({ adminPassword, tls }: ReturnType<typeof draw>) => ({
  admin: secret('shop-db-postgres-admin', { password: adminPassword }),
  tls: secret('shop-db-postgres-tls', { 'tls.crt': tls.certificate, 'tls.key': tls.privateKey }),
})

it('a server gets a password of letters and digits, and a certificate for each of its names', () => {
  const { adminPassword, tls } = draw(1)
  expect(adminPassword).toMatch(/^[A-Za-z0-9]{32}$/)
  const certificate = new X509Certificate(tls.certificate)
  for (const host of ['shop-db-postgres.shop.svc', 'shop-db-postgres.shop.svc.cluster.local', 'shop-db-postgres']) {
    expect(certificate.checkHost(host)).toBe(host)
  }
  expect(Date.parse(certificate.validTo)).toBe(nowMs + 3_650 * dayMs)
  expect(Date.parse(certificate.validFrom)).toBeLessThan(nowMs)
  expect(tls.privateKey).toContain('BEGIN PRIVATE KEY')
})

it('a server gets another password each time, and keeps the one in its Secrets', () => {
  const first = draw(1)
  expect(draw(2).adminPassword).not.toBe(first.adminPassword)
  expect(draw(2, kept(first))).toEqual(first)
})

it('a server gets a new password only when it is missing', () => {
  const first = draw(1)
  const { admin, tls } = kept(first)
  expect(draw(2, { admin })).toMatchObject({ adminPassword: first.adminPassword })
  expect(draw(2, { admin }).tls).not.toEqual(first.tls)
  expect(draw(2, { tls }).tls).toEqual(first.tls)
})

it.each([
  ['a month before it ends', { atMs: nowMs + 3_621 * dayMs }],
  ['where somebody has written something else', { own: { 'tls.crt': 'no certificate', 'tls.key': 'k' } }],
])(
  'a server gets another certificate %s',
  (_, { atMs = nowMs, own }: { atMs?: number; own?: Record<string, string> }) => {
    const first = draw(1)
    const tls = own === undefined ? kept(first).tls : secret('tls', own)
    const again = draw(2, { ...kept(first), tls }, atMs)
    expect(again.adminPassword).toBe(first.adminPassword)
    expect(again.tls.certificate).not.toBe(first.tls.certificate)
    expect(draw(2, kept(first), nowMs + 3_619 * dayMs)).toEqual(first)
  },
)

it('a server reports the remedy for a lost password', () => {
  expect(passwordLost('shop-db', 'data-shop-db-postgres-0')).toEqual({
    reason: 'AdminSecretLost',
    message:
      'Secret shop-db-postgres-admin is gone, and the data in volume claim data-shop-db-postgres-0 knows no other password; put the ' +
      'Secret back with its password and the annotation konverge.dev/adopt: Database/shop-db, or delete the claim to begin with nothing',
  })
})
