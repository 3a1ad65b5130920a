// Requests for history that the server has compacted. Both servers get the same requests; each has its own compaction.
import { expect } from 'vitest'
import { isJsonObject, type Json } from '../../src/base/json.ts'
import { at } from './stage.ts'

export interface ForgettingServer {
  get(path: string): Promise<{ readonly status: number; readonly body: Json }>
  /** Compacts all history. */
  forget(): Promise<void>
}

const collection = '/api/v1/namespaces?limit=1'

export async function expectForgetting({ get, forget }: ForgettingServer): Promise<void> {
  const page = await get(collection)
  const token = at(page.body, 'metadata.continue')
  const version = at(page.body, 'metadata.resourceVersion')
  const nextPage = `${collection}&continue=${token}`
  const exact = `/api/v1/namespaces?resourceVersion=${version}&resourceVersionMatch=Exact`
  const exactPage = `${collection}&resourceVersion=${version}`
  for (const path of [nextPage, exact, exactPage]) expect((await get(path)).status, path).toBe(200)

  await forget()
  const { status, body } = await get(nextPage)
  expect(status).toBe(410)
  expect(body).toMatchObject({
    reason: 'Expired',
    message:
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  })
  for (const path of [exact, exactPage]) {
    const answer = await get(path)
    expect([answer.status, isJsonObject(answer.body) && answer.body['message']], path).toEqual([
      410,
      'The resourceVersion for the provided list is too old.',
    ])
  }
  const rest = await get(`${collection}&continue=${at(body, 'metadata.continue')}`)
  expect([rest.status, at(rest.body, 'items')]).toEqual([200, [expect.anything()]])
}
