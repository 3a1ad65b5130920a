// Do replicas agree on one writer, whatever ends it? Leaders are killed, stopped in order and put to sleep while stores change all
// the time; the audit log is the witness of who wrote when.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { KubectlObjects } from './kubectl-objects.ts'
import { operatorAccount } from './operator-account.ts'
import { type LogLine, OperatorProcess } from './operator-process.ts'
import { claimsOf, identityOf, writesOutOfTurn } from './reigns.ts'
import { installDefinitions, isWrite, Stores } from './stores.ts'

const cluster = attachToControlPlane()
const image = 'valkey/valkey:8.0'
const names = ['red', 'green', 'blue', 'black']
const kills = 10
const sleeps = 3
/** Shorter than the defaults by a factor of four, so that a test sees many reigns. */
const lease = {
  leaseDurationMs: 4_000,
  flags: ['--lease-duration', '4', '--renew-deadline', '3', '--retry-period', '0.5'],
}
/** Beyond the lease duration: two looks at the lease, and a busy machine. */
const takeoverSlackMs = 3_000

/** Replicas of one operator, and stores that change as long as the test runs. */
class Replicas {
  readonly stores: Stores
  readonly #args: readonly string[]
  readonly all: OperatorProcess[] = []
  #kubeconfig = ''
  readonly #stop = new AbortController()
  #edits: Promise<void> = Promise.resolve()
  #round = 0

  constructor(namespace: string, flags: readonly string[]) {
    this.stores = new Stores(new KubectlObjects(cluster), namespace)
    this.#args = ['--namespaces', namespace, '--leader-elect', '--lease-namespace', namespace, ...flags]
  }

  async begin(): Promise<void> {
    await this.stores.createNamespace()
    this.#kubeconfig = (await operatorAccount(cluster, this.stores.namespace)).kubeconfigPath
    await this.start()
    await this.start()
    this.#edits = this.#keepEditing()
  }

  /** A replica that is ready: it leads, or stands by with warm caches. */
  async start(): Promise<OperatorProcess> {
    const replica = new OperatorProcess(this.#kubeconfig, this.#args)
    this.all.push(replica)
    return await replica.ready()
  }

  async #keepEditing(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#round += 1
      const env = [{ name: 'ROUND', value: String(this.#round) }]
      await this.stores.apply(...names.map((name) => ({ name, spec: { image, replicas: 1, env } })))
    }
  }

  /** Ends the changes and waits until the cluster shows the last of them. */
  async settle(): Promise<void> {
    this.#stop.abort()
    await this.#edits
    const last = String(this.#round)
    await waitUntil({ what: `round ${last} in every StatefulSet`, limitMs: 60_000, everyMs: 200 }, async () => {
      const sets = await this.stores.list<{
        spec: { template: { spec: { containers: { env?: { value?: string }[] }[] } } }
      }>('statefulsets')
      const rounds = sets.map(({ spec }) => spec.template.spec.containers[0]?.env?.find(({ value }) => value === last))
      return rounds.length === names.length && rounds.every((round) => round !== undefined)
    })
  }

  async end(): Promise<void> {
    this.#stop.abort()
    await this.#edits.catch(() => {})
    await Promise.all(
      this.all.map((replica) => {
        replica.send('SIGCONT')
        return replica.stop()
      }),
    )
  }

  /** The one that leads; waits until one of these does. */
  async leader(
    among = this.all,
    limitMs = 60_000,
  ): Promise<{ readonly process: OperatorProcess; readonly sinceMs: number }> {
    let found: { process: OperatorProcess; sinceMs: number } | undefined
    await waitUntil({ what: 'a leader', limitMs }, async () => {
      for (const process of among) {
        const line = process.lines.find(isElection)
        if (line !== undefined) found = { process, sinceMs: Number(line['time']) }
      }
      return found !== undefined
    })
    if (found === undefined) throw new Error('waitUntil has found one')
    return found
  }

  /** Ends the leader by `how`; resolves when another leads, with how long that took. */
  async takeover(how: (leader: OperatorProcess) => Promise<unknown>): Promise<number> {
    const { process: leader } = await this.leader()
    const others = this.all.filter((replica) => replica !== leader)
    const fromMs = Date.now()
    await how(leader)
    const { sinceMs } = await this.leader(others)
    this.all.splice(this.all.indexOf(leader), 1)
    return sinceMs - fromMs
  }

  /** What the audit log holds against these replicas; it is written a little after the answers. */
  async writesOutOfTurn() {
    const events = (await cluster.auditEvents()).filter(
      ({ objectRef }) => objectRef?.namespace === this.stores.namespace,
    )
    return writesOutOfTurn(events, { lease: 'konverge', leaseDurationMs: lease.leaseDurationMs })
  }

  async writers(): Promise<number> {
    const events = await cluster.auditEvents()
    const mine = events.filter(
      (event) => event.objectRef?.namespace === this.stores.namespace && event.objectRef.resource === 'statefulsets',
    )
    return new Set(
      mine
        .filter(isWrite)
        .map(identityOf)
        .filter((identity) => identity !== undefined),
    ).size
  }
}

const isElection = ({ msg }: LogLine) => msg === 'this process leads'
const identityOfProcess = ({ lines }: OperatorProcess) =>
  String(lines.find(({ identity }) => identity !== undefined)?.['identity'])

let replicas: Replicas
beforeAll(async () => await installDefinitions(cluster))
afterEach(async () => await replicas.end())

async function begin(namespace: string, flags: readonly string[]): Promise<Replicas> {
  replicas = new Replicas(namespace, flags)
  await replicas.begin()
  return replicas
}

describe('two replicas', () => {
  it(`have a new leader within the lease duration + 3 s, ${kills} times after a kill -9`, {
    timeout: 300_000,
  }, async () => {
    await begin('leaders-killed', lease.flags)
    const takeoversMs: number[] = []
    for (let kill = 0; kill < kills; kill++) {
      const tookMs = await replicas.takeover((leader) => leader.stop('SIGKILL'))
      takeoversMs.push(tookMs)
      await replicas.start()
    }
    await replicas.settle()
    process.stdout.write(`takeovers after kill -9, in ms: ${takeoversMs.map(Math.round).join(' ')}\n`)
    for (const tookMs of takeoversMs) expect(tookMs).toBeLessThan(lease.leaseDurationMs + takeoverSlackMs)
    expect(await replicas.writers(), 'leaders that wrote').toBeGreaterThan(kills / 2)
    expect(await replicas.writesOutOfTurn()).toEqual([])
  })

  it('hand over at once when the leader stops in order, and its last write is the release', async () => {
    await begin('leaders-stopped', [])
    const { process: leader } = await replicas.leader()
    const tookMs = await replicas.takeover(async (old) => expect((await old.stop()).code).toBe(0))
    process.stdout.write(`orderly handover, from the signal on, in ms: ${Math.round(tookMs)}\n`)
    // Far from the 15 s of a lease that runs out: draining, and at most one look of the standby.
    expect(tookMs).toBeLessThan(7_000)
    await replicas.settle()
    const events = (await cluster.auditEvents()).filter((event) => identityOf(event) === identityOfProcess(leader))
    expect(events.filter(isWrite).at(-1)?.objectRef?.resource).toBe('leases')
    expect(await replicas.writesOutOfTurn()).toEqual([])
  })

  it('keep one writer when the leader sleeps beyond its lease and wakes again', { timeout: 300_000 }, async () => {
    await begin('leaders-asleep', lease.flags)
    for (let round = 0; round < sleeps; round++) {
      const { process: sleeper } = await replicas.leader()
      await replicas.takeover(async (leader) => leader.send('SIGSTOP'))
      sleeper.send('SIGCONT')
      expect((await sleeper.exit()).code).toBe(1)
      expect(sleeper.stderr).toMatch(/^konverge: the lease leaders-asleep\/konverge .*; this process ends, .*\n$/)
      await replicas.start()
    }
    await replicas.settle()
    expect(claimsOf(await cluster.auditEvents(), 'konverge').length).toBeGreaterThan(sleeps)
    expect(await replicas.writesOutOfTurn()).toEqual([])
  })

  it('are both ready; the standby says for whom it stands by', async () => {
    await begin('leaders-seen', lease.flags)
    const { process: leader } = await replicas.leader()
    const [standby] = replicas.all.filter((replica) => replica !== leader)
    if (standby === undefined) throw new Error('there are two')
    const leads = await leader.get('/readyz?verbose')
    const stands = await standby.get('/readyz?verbose')
    expect([leads.status, stands.status, (await standby.get('/healthz')).status]).toEqual([200, 200, 200])
    expect(leads.text).toContain('[+] leader-election: ok (leads)')
    expect(stands.text).toContain(`[+] leader-election: ok (stands by for ${identityOfProcess(leader)})`)
    const status = 'leader_election_master_status{name="konverge"}'
    expect((await leader.get('/metrics')).text).toContain(`${status} 1\n`)
    expect((await standby.get('/metrics')).text).toContain(`${status} 0\n`)
  })
})
