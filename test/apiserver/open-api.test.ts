import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ApiAnswer } from '../../src/apiserver/exchange.ts'
import { OpenApi } from '../../src/apiserver/open-api.ts'
import { StatusError } from '../../src/apiserver/status-error.ts'

const text = '{"openapi":"3.0.0"}'
const hash = createHash('sha512').update(text).digest('hex').toUpperCase()
const openApi = new OpenApi({
  documents: [
    { name: 'apis/apps/v1', text: () => text },
    { name: 'api/v1', text: () => text },
  ],
  custom: () => [],
  whole: (form) => Buffer.from(form === 'json' ? text : 'bytes'),
})

function get(target: string, headers: Readonly<Record<string, string>> = {}): ApiAnswer {
  const { pathname, searchParams } = new URL(target, 'http://server')
  return openApi.answer({
    method: 'GET',
    path: pathname,
    query: searchParams,
    header: (name) => headers[name],
    body: '',
  })
}

describe('OpenAPI documents', () => {
  it('are listed with URLs that contain their hashes', () => {
    const { status, body } = get('/openapi/v3')
    expect(status).toBe(200)
    expect(body).toBe(
      `{"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=${hash}"},"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=${hash}"}}}`,
    )
  })

  it('are immutable under their own hash, and redirect from another one', () => {
    expect(get(`/openapi/v3/apis/apps/v1?hash=${hash}`)).toMatchObject({
      status: 200,
      body: text,
      headers: { etag: `"${hash}"`, vary: 'Accept', 'cache-control': 'public, immutable' },
    })
    expect(get('/openapi/v3/apis/apps/v1?hash=ABC')).toMatchObject({
      status: 301,
      headers: { location: `/openapi/v3/apis/apps/v1?hash=${hash}` },
    })
    expect(get('/openapi/v3/apis/apps/v1').headers).not.toHaveProperty('cache-control')
  })

  it('are not sent again for a matching ETag', () => {
    expect(get('/openapi/v3/api/v1', { 'if-none-match': `"${hash}"` }).status).toBe(304)
    const { headers } = get('/openapi/v3')
    expect(get('/openapi/v3', { 'if-none-match': headers['etag'] ?? '' }).status).toBe(304)
  })

  it('answer 406 without JSON, and 404 at other paths', () => {
    const protobuf = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'
    expect(get('/openapi/v3/api/v1', { accept: protobuf }).status).toBe(406)
    expect(get('/openapi/v3/api/v1', { accept: `${protobuf}, application/json;q=0.5` }).status).toBe(200)
    expect(() => get('/openapi/v3/apis/none/v1')).toThrow(StatusError)
  })
})
