// Checks that the recorded responses equal those of a real API server.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { doors, groundwork, liveObjects, namespace, rejectedRequests } from './rejected-requests.ts'

const cluster = attachToControlPlane()

beforeAll(async () => {
  for (const [path, object] of groundwork) {
    const { status, text } = await cluster.request({ method: 'POST', path, body: object })
    // The service account of a namespace may exist already.
    if (status !== 409) expect(status, text).toBe(201)
  }
  await waitUntil({ what: 'the kind Door to be served' }, async () => {
    return (await cluster.request({ method: 'GET', path: doors })).status === 200
  })
  for (const [path, object] of liveObjects) await cluster.create(path, object)
})

afterAll(() => cluster.kubectl('delete', 'namespace', namespace, '--wait=false'))

it('a real API server answers as recorded', async () => {
  const answers: Record<string, unknown> = {}
  for (const { name, ...request } of rejectedRequests) {
    // A policy takes effect a moment after it is stored.
    await waitUntil({ what: `a rejection: ${name}`, limitMs: 30_000 }, async () => {
      const { status, text } = await cluster.request({ ...request, path: `${request.path}?dryRun=All` })
      answers[name] = { status, ...answerOf(text) }
      return status >= 400
    })
  }
  await expect(`${JSON.stringify(answers, null, 2)}\n`).toMatchFileSnapshot('./rejected-requests.recorded.json')
})

/** A Status without the fields that do not depend on its reason. */
function answerOf(text: string): object {
  const { message, reason, details } = JSON.parse(text) as Record<string, unknown> // Rejections are Statuses.
  return { message, reason, details }
}
