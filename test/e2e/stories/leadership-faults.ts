// Replicas that cannot reach the Lease. Runs on every server that the story does not share, because the story stops it.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { grant, makeAccount } from '../grants.ts'
import { Hand } from '../hand.ts'
import type { MortalOperator, OperatorAsk, OwnServer } from '../story-server.ts'

const namespace = 'default'
const electing = { leaseNamespace: namespace, retryPeriodMs: 500 }
const quick = { ...electing, leaseDurationMs: 4_000, renewDeadlineMs: 3_000 }

/** `start` returns a server with the flagship's definitions. */
export function describeLeadershipFaults(start: () => Promise<OwnServer>): void {
  let server: OwnServer
  const started: MortalOperator[] = []

  beforeAll(async () => {
    server = await start()
  })
  afterEach(async () => void (await Promise.all(started.splice(0).map((replica) => replica.stop()))))
  afterAll(async () => await server.stop())

  const replica = async (ask: OperatorAsk) => {
    const operator = await server.mortalOperator({ namespaces: [namespace], ...ask })
    started.push(operator)
    return operator.start()
  }
  const leads = ({ lines }: MortalOperator) => lines.some(({ msg }) => msg === 'this process leads')

  describe('an operator that takes part in an election', () => {
    it('reports which right on the Lease it lacks, and takes part once it is granted', async () => {
      const account = { namespace, name: 'poor' }
      const hand = new Hand(server, namespace)
      await makeAccount(hand, account)
      await grant(hand, account, [{ apiGroups: ['*'], resources: ['*'], verbs: ['list', 'watch'] }])
      const poor = await replica({ account, election: electing })
      await poor.until('the missing right', async () => {
        const { text } = await poor.get('/readyz').catch(() => ({ text: '' }))
        return text.includes('leases')
      })
      expect((await poor.get('/readyz')).text).toMatch(
        /\[-\] leader-election: .*user "system:serviceaccount:default:poor" may not get leases\.coordination\.k8s\.io in namespace default/,
      )
      expect((await poor.get('/healthz')).status).toBe(200)
      expect(poor.lines.filter(({ msg }) => msg.startsWith('the lease cannot be reached'))).toHaveLength(1)
      const verbs = ['get', 'list', 'watch', 'create', 'patch']
      await grant(hand, account, [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs }], namespace)
      await poor.until('its election', async () => leads(poor))
      await poor.ready()
    })

    it('ends as leader when the API server is unreachable; its standby leads when the server is back', async () => {
      const leader = await (await replica({ election: quick })).ready()
      await leader.until('the leader', async () => leads(leader))
      const standby = await (await replica({ election: quick })).ready()
      await server.setAway(true)
      try {
        const end = await leader.exit()
        expect(end.code).toBe(1)
        expect(end.message).toMatch(
          /^(konverge: )?the lease default\/konverge could not be renewed within 3 s \(.+\); .*\n?$/,
        )
        expect((await standby.get('/healthz')).status).toBe(200)
        expect((await standby.get('/readyz')).text).toMatch(/\[-\] leader-election: .*(API server|127\.0\.0\.1)/)
      } finally {
        await server.setAway(false)
      }
      await standby.until('the standby to lead', async () => leads(standby))
      await standby.ready()
    })
  })
}
