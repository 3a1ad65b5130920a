import { describe, expect, it } from 'vitest'
import { writesOutOfTurn } from './reigns.ts'
import type { StoryRequest } from './story-server.ts'

const rules = { lease: 'konverge', leaseDurationMs: 4_000 }

function request(identity: string, atMs: number, resource: string, code = 200): StoryRequest {
  return {
    ...{ verb: 'patch', group: '', namespace: 'shop', resource, subresource: '', path: `/${resource}`, code, atMs },
    name: resource === 'leases' ? 'konverge' : '',
    userAgent: `konverge/0.1.0 (${identity})`,
  }
}
const claim = (identity: string, atMs: number, code?: number) => request(identity, atMs, 'leases', code)
const write = (identity: string, atMs: number) => request(identity, atMs, 'services')

describe('a write', () => {
  it.each<{ title: string; events: readonly StoryRequest[]; why: string | undefined }>([
    { title: 'of the holder', events: [claim('a', 0), write('a', 4_000)], why: undefined },
    {
      title: 'of a holder in its second reign',
      events: [claim('a', 0), claim('b', 1), claim('a', 2), write('a', 3)],
      why: undefined,
    },
    { title: 'before anybody held', events: [write('a', 0), claim('a', 1)], why: 'nobody had claimed the lease yet' },
    {
      title: 'after another had claimed',
      events: [claim('a', 0), claim('b', 1_000), write('a', 1_001)],
      why: 'b had claimed the lease 1 ms before',
    },
    {
      title: 'after the lease ran out',
      events: [claim('a', 0), write('a', 4_001)],
      why: 'its last claim was 4001 ms old',
    },
    {
      title: 'after a claim that was refused',
      events: [claim('a', 0), claim('b', 1, 409), write('a', 2)],
      why: undefined,
    },
    { title: 'of somebody who does not take part', events: [claim('a', 0), write('kubectl', 9_000)], why: undefined },
  ])('$title is outside its leadership term because: $why', ({ events, why }) => {
    expect(writesOutOfTurn(events, rules).map((found) => found.why)).toEqual(why === undefined ? [] : [why])
  })
})
