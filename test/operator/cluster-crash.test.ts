// Crash at every write to either of two clusters: the next process reaches the end state of an undisturbed run (I3).
import { describe, expect, it } from 'vitest'
import { KubeError } from '../../src/kube/kube-errors.ts'
import type { TestCluster } from '../../src/testing/index.ts'
import { type Crash, Fate } from '../reconcile/fate.ts'
import { HookedClient } from './hooked-client.ts'
import { childrenIn, Page, page, readinessOf, runOperator, startEdge, startHome } from './two-clusters.ts'

const parts = [
  { name: 'making', begin: (home: TestCluster) => home.create(Page, page({ text: 'hello', note: 'n' })) },
  {
    name: 'changing',
    begin: (home: TestCluster) => home.patch(Page, 'default/a', { spec: { text: 'new', note: null } }),
  },
  { name: 'deleting', begin: (home: TestCluster) => home.delete(Page, 'default/a') },
]

/** Connection that carries no request after the process is dead. */
function mortal(cluster: TestCluster, fate: Fate): HookedClient {
  const client = cluster.clientOf('operator')
  const dead = () => new KubeError({ code: 'Unreachable', message: 'the process is dead' })
  return new HookedClient(async (send, kind) => {
    if (fate.isDead || (kind === 'write' && fate.strikes('before'))) throw dead()
    const answer = await send(client)
    if (fate.isDead || (kind === 'write' && fate.strikes('after'))) throw dead()
    return answer
  })
}

/**
 * Returns the objects after each part, without fields that differ between runs, and the numbers of created and deleted
 * children.
 */
async function play(crash?: Crash) {
  const edge = await startEdge()
  const home = await startHome({ edge })
  const fate = new Fate(crash)
  const live = () => runOperator(home, { client: mortal(home, fate), clusters: { edge: mortal(edge, fate) } })
  let life = live()
  const states: unknown[] = []
  for (const [part, { begin }] of parts.entries()) {
    fate.begin(part)
    await begin(home)
    await home.advance(30_000)
    if (fate.isDead) {
      await life.stop()
      fate.isDead = false
      life = live()
    }
    await home.settle()
    const children = await childrenIn(edge)
    states.push({
      readiness: await readinessOf(home),
      children: children.map(({ metadata, ...rest }) => [metadata.name, rest]),
    })
  }
  await life.stop()
  const writes = edge.requests().filter(({ verb, code }) => ['create', 'patch', 'delete'].includes(verb) && code < 300)
  return {
    ended: { states, deletes: writes.filter(({ verb }) => verb === 'delete').length },
    hasStruck: fate.hasStruck,
  }
}

describe('a crash', () => {
  it.each(parts.map(({ name }, part) => ({ name, part })))(
    'at any write of $name ends as without one',
    async ({ part }) => {
      const { ended } = await play()
      expect(ended).toMatchObject({
        states: [{ readiness: 'True/Settled' }, { readiness: 'True/Settled' }, { children: [] }],
      })
      for (const when of ['before', 'after'] as const) {
        let at = 1
        for (; ; at++) {
          const { ended: other, hasStruck } = await play({ part, at, when })
          expect(other, `${when} write ${at}`).toEqual(ended)
          if (!hasStruck) break
        }
        expect(at, 'writes that were broken').toBeGreaterThan(2)
      }
    },
  )
})
