// Requests of an object to a server, and its parsed answer: fields and messages, for the tables of the CRDs.
import { afterAll, beforeAll } from 'vitest'
import type { ApiRequest } from '../control-plane/api-request.ts'
import type { StartStoryServer, StoryServer } from '../e2e/story-server.ts'

export interface Answer {
  readonly status: number
  // Any object from the wire; a test reads its fields.
  // biome-ignore lint/suspicious/noExplicitAny: an object from the wire, by what was asked.
  readonly object: any
  readonly message: string
  /** Fields that a rejection names. */
  readonly fields: readonly string[]
  /** Its messages, each with its field: `spec.size: can only grow`. */
  readonly sentences: readonly string[]
}

export type Ask = (method: ApiRequest['method'], path: string, body?: object, accept?: string) => Promise<Answer>

interface Cause {
  readonly field: string
  readonly message: string
}

/**
 * Returns requests to the server of a suite, which runs from the first test to the last; the namespace `shop` exists.
 */
export function askerOfSuite(start: StartStoryServer): Ask {
  let server: StoryServer
  beforeAll(async () => {
    server = await start()
    await server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
  })
  afterAll(() => server?.stop())
  return (...request) => askerOf(server)(...request)
}

function askerOf(server: StoryServer): Ask {
  return async (method, path, body, accept = 'application/json') => {
    const isApply = path.includes('fieldManager=')
    const patchType = isApply ? 'application/apply-patch+yaml' : 'application/merge-patch+json'
    const contentType = method === 'PATCH' ? patchType : 'application/json'
    const given = body === undefined ? {} : { body }
    const { status, text } = await server.request({ method, path, contentType, accept, ...given })
    const object = JSON.parse(text)
    const causes: readonly Cause[] = object.details?.causes ?? []
    const fields = causes.map(({ field }) => field)
    const sentences = causes.map(({ field, message }) => `${field}: ${message}`)
    return { status, object, message: String(object.message ?? ''), fields, sentences }
  }
}
