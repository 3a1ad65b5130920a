import { expect, it } from 'vitest'
import { allowComplaint, allowFlags } from '../../src/cli/allow-lists.ts'

const flagOf = (name: string) => {
  const found = allowFlags.find(({ flag }) => flag.startsWith(`${name} `))
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}

it.each([
  { name: '--allow-secret', patterns: ['shop/postgres', 'shop/*', '*', '*/admin', 'shop*'] },
  { name: '--allow-image', patterns: ['registry.example.com:5000/a/b@sha256:00', 'valkey/valkey:8.0', '*'] },
  { name: '--allow-endpoint', patterns: ['db.example.com', '*.example.com', '10.0.0.1', '2001:db8::5432', '*'] },
  { name: '--allow-storage-class', patterns: ['fast', 'csi-*', 'a.b'] },
])('$name takes $patterns', ({ name, patterns }) => {
  expect(allowComplaint(flagOf(name), patterns)).toBeUndefined()
})
