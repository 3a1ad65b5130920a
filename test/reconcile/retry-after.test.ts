// A Retry-After of the API server: the status reports the wait, and only a user's changes end it early.
import { describe, expect, it } from 'vitest'
import { KubeError, type KubeErrorCode } from '../../src/kube/kube-errors.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { reconcileNowAnnotation } from '../../src/reconcile/steering.ts'
import { at } from '../model-api.ts'
import { Site, type World } from './life.ts'
import { isWriteOf, pages, settled, settledSite } from './sites.ts'

/** A settled site whose pages have changed, while the API server tells every writer of them to retry later. */
async function waitingSite(code: KubeErrorCode, seconds: number) {
  const { world } = await settledSite()
  world.api.before = (request) => {
    if (isWriteOf('configmaps')(request)) throw new KubeError({ code, message: 'busy', retryAfterMs: seconds * 1000 })
  }
  world.api.requests.length = 0
  world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
  await world.clock.advance(0)
  return world
}
const tries = ({ api }: World) => api.writes.filter((write) => write === 'apply configmaps default/a-pages').length

describe('a Retry-After', () => {
  it.each([
    ['TooManyRequests', 99_999_999],
    ['ServiceUnavailable', 100],
  ] as const)('with %s and %d s is reported at once and ends after 300 s', async (code, seconds) => {
    const world = await waitingSite(code, seconds)
    expect(world.conditions()).toMatchObject({ Ready: `False/${code}`, Degraded: `True/${code}` })
    expect(world.conditions()).toHaveProperty('Reconciling', 'True/Retrying')
    world.api.before = () => {}
    await world.clock.advance(300_000)
    expect(world.conditions()).toEqual(settled)
    expect(tries(world)).toBe(2)
  })

  it('of a second is not reported the first time', async () => {
    const world = await waitingSite('TooManyRequests', 1)
    expect(world.conditions()).toEqual(settled)
  })

  it('ends early for a new spec and a new reconcile-now, once each, and for no other event', async () => {
    const world = await waitingSite('TooManyRequests', 300)
    const triesAfter = async (edit: () => void) => {
      edit()
      await world.clock.advance(10_000)
      return tries(world)
    }
    const annotate = (name: string, value: string) =>
      world.api.edit(Site, 'default/a', { metadata: { annotations: { [name]: value } } })
    expect(await triesAfter(() => world.api.edit(ConfigMap, pages, { data: { index: 'drifted' } }))).toBe(1)
    expect(await triesAfter(() => annotate('other', 'x'))).toBe(1)
    expect(await triesAfter(() => world.api.edit(Site, 'default/a', { spec: { page: 'newer' } }))).toBe(2)
    expect(await triesAfter(() => annotate(reconcileNowAnnotation, 'x'))).toBe(3)
    expect(at(world.site(), 'status', 'lastHandledReconcileAt')).toBe('x')
    expect(await triesAfter(() => annotate('other', 'y'))).toBe(3)
  })
})
