// Problems that block the write of a user's Secret.
import { expect, it } from 'vitest'
import { largestBinding } from '../../../src/controllers/database-user/binding-secret.ts'
import type { Held } from '../../../src/controllers/database-user/rotation.ts'
import { reservedKeyProblem, sizeProblem } from '../../../src/controllers/database-user/secret-problem.ts'

const held: Held = {
  active: { username: 'web_a', password: 'pass', verifier: 'SCRAM-SHA-256$1' },
  ...{ rotatedAtMs: 0, generation: 1, source: 'generate' },
}
const target = { host: 'db', port: 5432, sslMode: 'disable', databases: ['shop'] }

it('32 templates of 409 certificates are rejected from their lengths: they would be 6 GB', () => {
  const ca = 'c'.repeat(512 * 1_024)
  const template = Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`k${at}`, '{{ca.crt}}'.repeat(409)]))
  expect(sizeProblem('web-db', { target: { ...target, ca }, held, template })).toEqual({
    kind: 'refused',
    reason: 'SecretTooLarge',
    message:
      'Secret web-db would hold 6862406006 bytes, and the most is 1000000; k0 alone would have 214433792: shorten spec.secret.template',
  })
})

it('certificates that are too large by themselves are named in the problem', () => {
  const ca = 'ü'.repeat(500_001)
  expect(sizeProblem('web-db', { target: { ...target, ca }, held })?.message).toMatch(
    /; ca\.crt alone would have 1000002: leave certificates out of the Secret that the Database names$/,
  )
})

it('the largest Secret is written, and one byte more is not', () => {
  const template = (bytes: number) => ({ filler: 'x'.repeat(bytes) })
  const size = (bytes: number) => sizeProblem('web-db', { target, held, template: template(bytes) })
  const [first] = /\d+/.exec(size(largestBinding)?.message ?? '') ?? []
  const rest = Number(first) - largestBinding
  expect(size(largestBinding - rest)).toBeUndefined()
  expect(size(largestBinding - rest + 1)?.reason).toBe('SecretTooLarge')
})

it.each([
  [{ labels: { 'data.konverge.dev/usable-by-backup': 'true' } }, 'spec.secret.labels'],
  [{ labels: { a: 'b' }, annotations: { 'konverge.dev/adopt': 'Database/orders' } }, 'spec.secret.annotations'],
])('a Secret with %j is rejected', (secret, field) => {
  const { reason, message = '' } = reservedKeyProblem(secret) ?? {}
  expect(reason).toBe('ReservedKey')
  expect(message).toContain(`${field} has `)
  expect(message).toContain('kubectl label secret')
})

it('a Secret with labels of others is accepted', () => {
  expect(reservedKeyProblem({ labels: { 'app.kubernetes.io/name': 'web' } })).toBeUndefined()
})
