// Member of a sharded operator over the API server in this process: a whole operator that can stop, be killed and
// sleep. After a kill, none of its work runs, and no response reaches it.
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom, seededSecrets } from '../../src/base/random.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { Fence } from '../../src/kube/fence.ts'
import { FencedClient } from '../../src/kube/fenced-client.ts'
import { identityOf } from '../../src/object/identity.ts'
import type { Resource } from '../../src/object/resource.ts'
import { defaultTiming } from '../../src/operator/election.ts'
import { Operator } from '../../src/operator/operator.ts'
import { ShardRunner } from '../../src/operator/shard-runner.ts'
import type { Controller } from '../../src/reconcile/definition.ts'
import { Shard } from '../../src/reconcile/shard.ts'
import { HealthRegistry, healthText } from '../../src/telemetry/health.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import type { TestCluster } from '../../src/testing/index.ts'
import { LifeClock } from '../e2e/life-clock.ts'

export interface MemberOperatorOptions {
  readonly cluster: TestCluster
  readonly identity: string
  readonly controllerOf: (member: MemberOperator) => Controller
  readonly maxConcurrent?: number
  /** Called when a write of the kind reaches the server. */
  readonly onWrite?: (member: MemberOperator, resource: Resource, name: string) => void
}

export class MemberOperator {
  readonly identity: string
  readonly shard = new Shard()
  readonly clock: LifeClock
  readonly health = new HealthRegistry()
  readonly metrics = new PrometheusMetrics({ operator: 'shop' })
  readonly fence: Fence
  readonly ended: Promise<unknown>
  readonly #cluster: TestCluster
  readonly #stop = new AbortController()

  constructor({ cluster, identity, controllerOf, maxConcurrent, onWrite = () => {} }: MemberOperatorOptions) {
    this.#cluster = cluster
    this.identity = identity
    this.clock = new LifeClock(cluster.clock)
    this.fence = new Fence(this.clock)
    const { clock, fence, shard, metrics } = this
    const surroundings = {
      clock,
      random: seededRandom(identity.length),
      instruments: { ...silentInstruments, metrics },
    }
    const client = mortal(cluster.clientOf(identity), clock, (resource, name) => onWrite(this, resource, name))
    const { leaseManager: fieldManager } = identityOf('shop')
    const shards = new ShardRunner({
      ...{ ...surroundings, operatorName: 'shop', client, fieldManager, identity, namespace: 'default' },
      ...{ timing: defaultTiming, fence, shard },
    })
    const operator = new Operator({
      ...{
        ...surroundings,
        name: 'shop',
        secrets: seededSecrets(1),
        fence,
        shards,
        health: this.health,
        maxConcurrent,
      },
      client: new FencedClient({ client, fence }),
      controllers: [controllerOf(this)],
      reconcileRate: { perSecond: 1_000, burst: 1_000 },
    })
    this.ended = operator.run(this.#stop.signal).then(
      () => 'in order',
      (thrown: unknown) => thrown,
    )
  }

  get readiness(): string {
    return healthText(this.health.report('ready'), { isVerbose: true })
  }

  kill(): void {
    this.clock.end()
  }

  async stop(): Promise<unknown> {
    if (this.clock.isDead) return 'killed'
    this.clock.wake()
    this.#stop.abort()
    await this.#cluster.advance(15_000)
    return this.ended
  }
}

/** Client whose requests and responses pass only while the process is awake. */
function mortal(client: KubeClient, clock: LifeClock, onWrite: (resource: Resource, name: string) => void): KubeClient {
  const heard = <T>(answer: Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      answer.then(
        (value) => clock.whenAwake(() => resolve(value)),
        (thrown: unknown) => clock.whenAwake(() => reject(thrown)),
      )
    })
  return new Proxy(client, {
    get: (_, verb: keyof KubeClient) =>
      verb === 'watch'
        ? async function* (...asked: Parameters<KubeClient['watch']>) {
            const frames = client.watch(...asked)[Symbol.asyncIterator]()
            for (;;) {
              const { done, value } = await heard(frames.next())
              if (done === true) return
              yield value
            }
          }
        : (...asked: readonly unknown[]) => {
            if (clock.isDead) return new Promise(() => {})
            if (isWrite(verb)) {
              // Arguments of KubeClient's verbs: an object, or the location of one.
              const [resource, target] = asked as [Resource, { name?: string; metadata?: { name: string } }]
              onWrite(resource, target.metadata?.name ?? target.name ?? '')
            }
            return heard((client[verb] as (...given: readonly unknown[]) => Promise<unknown>).apply(client, [...asked]))
          },
  })
}

function isWrite(verb: keyof KubeClient): boolean {
  return verb === 'create' || verb === 'apply' || verb === 'patch' || verb === 'delete'
}
