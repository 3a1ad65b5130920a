// Binding Secret of a user. Invariant: it has the keys that applications expect for any password, and all data of a
// rotation can be read back.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BindingTarget,
  bindingManifest,
  bindingSecretType,
  bindingSize,
  heldIn,
  isUntouched,
} from '../../../src/controllers/database-user/binding-secret.ts'
import type { Held } from '../../../src/controllers/database-user/rotation.ts'
import type { KubeObject } from '../../../src/index.ts'

const target: BindingTarget = {
  host: 'db.shop.svc',
  port: 5432,
  sslMode: 'verify-full',
  ca: '-----BEGIN CERTIFICATE-----',
  databases: ['shop', 'stock'],
}
const held: Held = {
  active: { username: 'shop_a', password: 'pass', verifier: 'SCRAM-SHA-256$1' },
  rotatedAtMs: Date.UTC(2026, 0, 1, 1, 2, 3, 4),
  generation: 3,
  source: 'generate',
}

function written(held: Held, more: object = {}): KubeObject {
  const { labels, annotations, data } = bindingManifest({ target, held, ...more })
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: bindingSecretType,
    metadata: { name: 'shop-db', labels, annotations },
    data,
  }
}

function texts({ data }: KubeObject): Readonly<Record<string, string>> {
  // The code under test wrote this form.
  const entries = Object.entries(data as Record<string, string>)
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]))
}

describe('the Secret of a user', () => {
  it('has the keys of the Service Binding specification and of PostgreSQL’s clients', () => {
    expect(texts(written(held))).toEqual({
      type: 'postgresql',
      provider: 'konverge',
      host: 'db.shop.svc',
      port: '5432',
      database: 'shop',
      username: 'shop_a',
      password: 'pass',
      verifier: 'SCRAM-SHA-256$1',
      sslmode: 'verify-full',
      'ca.crt': '-----BEGIN CERTIFICATE-----',
      uri: 'postgresql://shop_a:pass@db.shop.svc:5432/shop?sslmode=verify-full',
      'jdbc-uri': 'jdbc:postgresql://db.shop.svc:5432/shop?user=shop_a&password=pass&sslmode=verify-full',
      pgpass: 'db.shop.svc:5432:shop:shop_a:pass\ndb.shop.svc:5432:stock:shop_a:pass\n',
    })
  })

  it('can be read by any client, whatever the password contains', () => {
    const printable = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 1,
    })
    fc.assert(
      fc.property(printable, (password) => {
        const keys = texts(written({ ...held, active: { ...held.active, password } }))
        expect(decodeURIComponent(new URL(keys['uri'] ?? '').password)).toBe(password)
        const jdbc = new URL((keys['jdbc-uri'] ?? '').replace('jdbc:', ''))
        expect(decodeURIComponent(/password=([^&]*)/.exec(jdbc.search)?.[1] ?? '')).toBe(password)
        const [line = ''] = (keys['pgpass'] ?? '').split('\n')
        expect(passwordOf(line)).toBe(password)
      }),
    )
  })

  it('puts brackets around an IPv6 address', () => {
    const { data } = bindingManifest({ target: { ...target, host: '::1' }, held })
    expect(Buffer.from(data['uri'] ?? '', 'base64').toString()).toContain('@[::1]:5432/')
  })

  it('fills templates, leaves unknown keys unchanged, and lets no template replace a key of the operator', () => {
    const template = { dsn: 'h={{host}} p={{ password }} {{nothing}}', username: 'mine' }
    expect(texts(written(held, { template }))).toMatchObject({
      dsn: 'h=db.shop.svc p=pass {{nothing}}',
      username: 'shop_a',
    })
  })

  it('accepts no template as a credential of a rotation', () => {
    const template = { 'username-next': 'other_a', 'password-next': 'x', 'verifier-next': 'SCRAM-SHA-256$2' }
    expect(heldIn(written(held, { template }))).toEqual(held)
  })

  it('has the size that is computed from lengths', () => {
    const piece = fc.constantFrom(
      '{{host}}',
      '{{ ca.crt\u00a0}}',
      '{{nothing}}',
      '{{password-next}}',
      'ü',
      '{{',
      ' a }}',
    )
    const template = fc.dictionary(
      fc.constantFrom('one', 'two', 'host', 'username-next', 'constructor'),
      fc.array(piece).map((pieces) => pieces.join('')),
    )
    fc.assert(
      fc.property(template, fc.string(), (texts, ca) => {
        const input = { target: { ...target, ca }, held, template: texts }
        const values = Object.entries(bindingManifest(input).data)
        const sizes = values.map(([key, value]) => Buffer.byteLength(key) + Buffer.from(value, 'base64').length)
        expect(bindingSize(input).bytes).toBe(sizes.reduce((sum, size) => sum + size, 0))
      }),
    )
  })

  it('has the labels and annotations of the spec, beside those of the operator', () => {
    const { metadata } = written(
      { ...held, trigger: 'now' },
      { labels: { team: 'shop' }, annotations: { reload: 'yes' } },
    )
    expect(metadata).toMatchObject({
      labels: { team: 'shop' },
      annotations: {
        reload: 'yes',
        'data.konverge.dev/rotation-trigger': 'now',
        'data.konverge.dev/password-generation': '3',
      },
    })
  })

  it('has no password when only a verifier was supplied', () => {
    const { username, verifier } = held.active
    const keys = texts(written({ ...held, active: { username, verifier }, source: 'supplied' }))
    expect(Object.keys(keys)).not.toContain('password')
    expect(keys['uri']).toBe('postgresql://shop_a@db.shop.svc:5432/shop?sslmode=verify-full')
  })

  const text = fc.string({ minLength: 1 })
  const credential = fc.record({ username: text, verifier: text, password: text })
  const anything: fc.Arbitrary<Held> = fc.record(
    {
      active: credential,
      next: credential,
      previous: fc.record({ username: text, untilMs: fc.nat() }),
      rotatedAtMs: fc.nat(),
      generation: fc.integer({ min: 1 }),
      trigger: text,
      source: fc.constantFrom('generate', 'supplied'),
    },
    { requiredKeys: ['active', 'rotatedAtMs', 'generation', 'source'] },
  )

  it('returns all that a rotation needs', () => {
    fc.assert(
      fc.property(anything, (any) => {
        expect(heldIn(written(any))).toEqual(any)
        expect(isUntouched(written(any))).toBe(true)
      }),
    )
  })

  it('has a mark that changes with its contents, and reveals nothing else', () => {
    const secret = written(held)
    const before = secret.metadata.annotations?.['data.konverge.dev/secret-hash']
    const changed = written({ ...held, active: { ...held.active, password: 'other' } })
    expect(changed.metadata.annotations?.['data.konverge.dev/secret-hash']).not.toBe(before)
    expect(JSON.stringify(changed.metadata)).not.toContain('other')
    const byHand = { ...secret, data: { ...(changed['data'] as object) } }
    expect(isUntouched(byHand)).toBe(false)
  })

  it('counts as lost without the verifier', () => {
    const { verifier: _, ...data } = written(held)['data'] as Record<string, string> // The code under test wrote this form.
    expect(heldIn({ ...written(held), data })).toBeUndefined()
  })
})

/**
 * Returns the last field of a line as libpq reads it: a colon ends a field, and a backslash escapes the next character.
 */
function passwordOf(line: string): string {
  const [, last = ''] = /^(?:(?:\\.|[^\\:])*:){4}((?:\\.|[^\\:])*)$/.exec(line) ?? []
  return last.replaceAll(/\\(.)/g, '$1')
}
