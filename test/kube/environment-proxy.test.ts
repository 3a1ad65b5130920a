import { describe, expect, it } from 'vitest'
import { environmentProxy } from '../../src/kube/environment-proxy.ts'

const proxy = 'http://proxy.example:3128'

describe('the proxy that the environment names', () => {
  it.each([
    ['https://api.example', { HTTPS_PROXY: proxy }, proxy],
    ['https://api.example', { https_proxy: proxy }, proxy],
    ['https://api.example', { HTTPS_PROXY: 'proxy.example:3128' }, proxy],
    ['https://api.example', { HTTP_PROXY: proxy }, undefined],
    ['http://api.example', { HTTP_PROXY: proxy }, proxy],
    ['https://api.example', {}, undefined],
    ['https://api.example', { HTTPS_PROXY: ' ' }, undefined],
    ['https://localhost:6443', { HTTPS_PROXY: proxy }, undefined],
    ['https://127.0.0.2:6443', { HTTPS_PROXY: proxy }, undefined],
    ['https://[::1]:6443', { HTTPS_PROXY: proxy }, undefined],
  ])('for %s with %o is %s', (server, environment, expected) => {
    expect(environmentProxy(server, environment)).toBe(expected)
  })

  it.each([
    ['https://api.example', '*', true],
    ['https://api.example', 'other, example', true],
    ['https://example', 'example', true],
    ['https://myexample', 'example', false],
    ['https://api.example', '.example', true],
    ['https://example', '.example', false],
    ['https://api.example', '*.example', true],
    ['https://api.example:6443', 'api.example:6443', true],
    ['https://api.example', 'api.example:6443', false],
    ['https://api.example', 'api.example:443', true],
    ['https://10.96.0.1', '10.96.0.0/12', true],
    ['https://10.112.0.1', '10.96.0.0/12', false],
    ['https://10.96.0.1:443', '10.96.0.1', true],
    ['https://10.96.0.1', '10.96.0.1:6443', false],
    ['https://[fd00::1]', 'fd00::/8', true],
    ['https://[fd00::1]:6443', '[fd00::1]:6443', true],
    ['https://[fd00::1]', 'fd00::1', true],
    ['https://10.96.0.1', '10.96.0.0/99', false],
    ['https://10.96.0.1', 'fd00::/8,nonsense/8,', false],
    ['https://API.example', 'api.EXAMPLE', true],
  ])('for %s with NO_PROXY=%s is bypassed: %s', (server, NO_PROXY, isLeftOut) => {
    expect(environmentProxy(server, { HTTPS_PROXY: proxy, NO_PROXY })).toBe(isLeftOut ? undefined : proxy)
  })
})
