// One writer among replicas. Leaders are killed, stopped gracefully and suspended while stores change continuously; the
// record of requests shows which replica wrote at which time. Runs on every server.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { claimsOf, identityOf } from '../reigns.ts'
import { identityOfOperator, Replicas } from '../replicas.ts'
import { isWrite } from '../stores.ts'
import type { OperatorAsk, StartStoryServer, StoryServer } from '../story-server.ts'

const kills = 10
const sleeps = 3
/** A quarter of the defaults, so that a test has many leadership terms. */
const lease = { leaseDurationMs: 4_000, renewDeadlineMs: 3_000, retryPeriodMs: 500 }

export interface LeadershipLimits {
  /**
   * Time beyond the lease duration that a takeover may take, by the server's clock. Absent if that is the clock of the
   * machine: load then delays a takeover, and the test checks only its order.
   */
  readonly slackMs?: number
}

export function describeLeadership(start: StartStoryServer, { slackMs }: LeadershipLimits): void {
  const within = slackMs === undefined ? '' : ` within the lease duration + ${slackMs / 1_000} s`
  let server: StoryServer
  let replicas: Replicas
  beforeAll(async () => {
    server = await start()
  })
  afterEach(async () => await replicas.end())
  afterAll(async () => await server.stop())

  async function begin(namespace: string, timing: NonNullable<OperatorAsk['election']>): Promise<Replicas> {
    replicas = new Replicas(server, namespace, timing)
    await replicas.begin()
    return replicas
  }

  describe('two replicas', () => {
    it(`have a new leader${within}, ${kills} times after a kill -9`, {
      timeout: 300_000,
    }, async () => {
      await begin('leaders-killed', lease)
      const takeoversMs: number[] = []
      for (let kill = 0; kill < kills; kill++) {
        const tookMs = await replicas.takeover((leader) => leader.kill())
        takeoversMs.push(tookMs)
        await replicas.start()
      }
      await replicas.settle()
      if (slackMs !== undefined) expect(Math.max(...takeoversMs)).toBeLessThan(lease.leaseDurationMs + slackMs)
      expect(await replicas.writers(), 'leaders that wrote').toBeGreaterThan(kills / 2)
      expect(await replicas.writesOutOfTurn(lease.leaseDurationMs)).toEqual([])
    })

    it('hand over at once when the leader stops gracefully, and its last write is the release', async () => {
      await begin('leaders-stopped', {})
      const { operator: leader } = await replicas.leader()
      const tookMs = await replicas.takeover(async (old) => expect((await old.stop()).code).toBe(0))
      // Far below the 15 s of an expiring Lease: draining, and at most one poll of the standby.
      if (slackMs !== undefined) expect(tookMs).toBeLessThan(4_000 + slackMs)
      await replicas.settle()
      const requests = (await server.requests()).filter((event) => identityOf(event) === identityOfOperator(leader))
      expect(requests.filter(isWrite).at(-1)?.resource).toBe('leases')
      expect(await replicas.writesOutOfTurn(lease.leaseDurationMs)).toEqual([])
    })

    it('keep one writer when the leader sleeps beyond its lease and wakes again', { timeout: 300_000 }, async () => {
      await begin('leaders-asleep', lease)
      for (let round = 0; round < sleeps; round++) {
        const { operator: sleeper } = await replicas.leader()
        await replicas.takeover(async (leader) => leader.sleep())
        sleeper.wake()
        const end = await sleeper.exit()
        expect(end.code).toBe(1)
        expect(end.message).toMatch(/^(konverge: )?the lease leaders-asleep\/konverge .*; this process ends, .*\n?$/)
        await replicas.start()
      }
      await replicas.settle()
      expect(claimsOf(await server.requests(), 'konverge').length).toBeGreaterThan(sleeps)
      expect(await replicas.writesOutOfTurn(lease.leaseDurationMs)).toEqual([])
    })

    it('are both ready; the standby names the leader', async () => {
      await begin('leaders-seen', lease)
      const { operator: leader } = await replicas.leader()
      const [standby] = replicas.all.filter((replica) => replica !== leader)
      if (standby === undefined) throw new Error('there are two')
      const leads = await leader.get('/readyz?verbose')
      const stands = await standby.get('/readyz?verbose')
      expect([leads.status, stands.status, (await standby.get('/healthz')).status]).toEqual([200, 200, 200])
      expect(leads.text).toContain('[+] leader-election: ok (leads)')
      expect(stands.text).toContain(`[+] leader-election: ok (stands by for ${identityOfOperator(leader)})`)
      const status = 'leader_election_master_status{name="konverge",operator="konverge"}'
      expect((await leader.get('/metrics')).text).toContain(`${status} 1\n`)
      expect((await standby.get('/metrics')).text).toContain(`${status} 0\n`)
    })
  })
}
