import { expect, it } from 'vitest'
import { isRequestedHost } from '../../src/telemetry/requested-host.ts'

it.each([
  ['127.0.0.1', '127.0.0.1:8080', true],
  ['127.0.0.1', '127.0.0.1', true],
  ['127.0.0.1', 'LOCALHOST:8080', true],
  ['127.50.3.1', '127.0.0.1:80', true],
  ['::1', '[::1]:8080', true],
  ['127.0.0.1', undefined, true],
  ['127.0.0.1', '', false],
  ['127.0.0.1', 'evil.example', false],
  ['127.0.0.1', 'evil.example:8080', false],
  ['127.0.0.1', '127.0.0.1.evil.example:8080', false],
  ['127.0.0.1', 'localhost.evil.example', false],
  ['localhost', '10.0.0.7:8080', false],
  ['::1', '[::1].evil.example', false],
  ['0.0.0.0', 'konverge-metrics.konverge-system.svc:8080', true],
  ['10.0.0.7', 'evil.example', true],
] as const)('a server at %s takes a request for %j: %s', (listensAt, header, isTaken) => {
  expect(isRequestedHost(header, listensAt)).toBe(isTaken)
})
