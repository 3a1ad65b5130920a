// Plays a generated world on the embedded server, ends all faults, waits until it is idle, and judges it.
import process from 'node:process'
import { type Instruments, type Log, silentInstruments } from '../../src/base/instrument.ts'
import type { JsonObject } from '../../src/base/json.ts'
import {
  ConfigMap,
  CustomResourceDefinition,
  findCondition,
  type LiveObject,
  Namespace,
  type StatusWithConditions,
} from '../../src/index.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { type RequestRecord, startCluster, type TestCluster } from '../../src/testing/index.ts'
import { OtherManagers, pin, wholeOf } from './other-managers-client.ts'
import { Misbehaviours, strangerController } from './stranger-controllers.ts'
import {
  type ChildKind,
  childKinds,
  childResource,
  definitionOf,
  hasStatus,
  type ParentSpec,
  parentResource,
  scopeOf,
  strangerVersion,
} from './stranger-kinds.ts'
import { declaredNow, freshKey, freshManager, type RestingParent, verdictOn } from './stranger-verdict.ts'
import { elsewhere, factName, home, type OperatorPlan, shiftOf, type WorldEvent, type WorldPlan } from './world-plan.ts'

const freshNamespace = 'fresh'
const childPlurals = childKinds.map((kind) => childResource(kind).plural)
/** Longest time of backoffs and rechecks after all faults end. */
const calmMs = 1_200_000
const restMs = 600_000

/** Returns the faults of the idle world; empty if all claims hold. */
export async function runWorld(plan: WorldPlan): Promise<readonly string[]> {
  const rejections: unknown[] = []
  const reject = (reason: unknown) => void rejections.push(reason)
  process.on('unhandledRejection', reject)
  const world = await StrangeWorld.start(plan)
  try {
    for (const { event, thenMs } of plan.events) await world.play(event, thenMs)
    const faults = await world.judge()
    return [...faults, ...rejections.map((reason) => `unhandled rejection: ${reason}`)]
  } finally {
    await world.stop()
    process.off('unhandledRejection', reject)
  }
}

interface RunningOperator {
  readonly plan: OperatorPlan
  version: number
  running: { stop(): Promise<void> }
}

class StrangeWorld {
  readonly #cluster: TestCluster
  readonly #others: OtherManagers
  readonly #misbehaviours = new Misbehaviours()
  readonly #operators: RunningOperator[] = []
  readonly #broken: readonly string[]
  readonly #signal = new AbortController().signal

  private constructor(cluster: TestCluster, broken: readonly string[]) {
    this.#cluster = cluster
    this.#others = new OtherManagers(cluster)
    this.#broken = broken
  }

  static async start(plan: WorldPlan): Promise<StrangeWorld> {
    const broken: string[] = []
    const kinds = [...new Set(plan.operators.flatMap(({ controllers }) => controllers.map(({ kind }) => kind)))]
    const addon = plan.isAddonInstalled ? (['Addon'] as const) : []
    const cluster = await startCluster({
      seed: plan.seed + 1,
      controllers: ['garbage-collector'],
      definitions: [...kinds, 'Part' as const, 'Engine' as const, 'Zone' as const, ...addon].map((kind) =>
        definitionOf(kind),
      ),
      instruments: instrumentsFor(broken),
    })
    const world = new StrangeWorld(cluster, broken)
    for (const name of [freshNamespace, elsewhere]) await cluster.create(Namespace, { metadata: { name } })
    for (const operator of plan.operators) {
      world.#operators.push({ plan: operator, version: 0, running: world.#run(operator, 0) })
    }
    await cluster.advance(0)
    return world
  }

  async stop(): Promise<void> {
    this.#misbehaviours.end()
    this.#cluster.faults.clear()
    await this.#cluster.stop()
  }

  async play(event: WorldEvent, thenMs: number | undefined): Promise<void> {
    try {
      await this.#act(event)
    } catch (thrown) {
      // The API server may reject a request of a user.
      if (!(thrown instanceof KubeError)) throw thrown
    }
    if (thenMs !== undefined) await this.#cluster.advance(thenMs)
  }

  async #act(event: WorldEvent): Promise<void> {
    const cluster = this.#cluster
    switch (event.kind) {
      case 'create':
        await cluster.create(parentResource(event.of), { metadata: { name: event.name }, spec: event.spec })
        return
      case 'edit':
        await cluster.patch(parentResource(event.of), event.name, { spec: { isRefused: null, ...event.spec } })
        return
      case 'delete':
        await cluster.delete(parentResource(event.of), event.name)
        return
      case 'pause':
      case 'resume': {
        const annotations = { 'konverge.dev/paused': event.kind === 'pause' ? 'true' : null }
        await cluster.patch(parentResource(event.of), event.name, { metadata: { annotations } })
        return
      }
      case 'restart':
      case 'crash':
      case 'upgrade':
        await this.#restart(event)
        return
      case 'misbehave':
        this.#misbehaviours.begin(event.of, event.call, event.how)
        return
      case 'behave':
        this.#misbehaviours.end()
        return
      case 'fault':
        cluster.faults.add({ ...event.rule, on: { ...event.rule.on, userAgent: 'operator' } })
        return
      case 'calm':
        cluster.faults.clear()
        return
      case 'install-addon':
        await cluster.create(CustomResourceDefinition, definitionOf('Addon'))
        return
      case 'label':
      case 'unlabel-parent': {
        const live = await cluster.find(parentResource(event.of), event.name)
        const gone = Object.keys(live?.metadata.labels ?? {}).map((label) => [label, null])
        const labels = event.kind === 'label' ? { team: 'z' } : Object.fromEntries(gone)
        await cluster.patch(parentResource(event.of), event.name, { metadata: { labels } })
        return
      }
      case 'extend-kind': {
        const { metadata, spec } = definitionOf(event.of, event.extension)
        await cluster.patch(CustomResourceDefinition, metadata.name, { spec: { versions: spec.versions } })
        return
      }
      case 'set-fact':
        await this.#setFact(event)
        return
      case 'uninstall-addon':
        await cluster.delete(CustomResourceDefinition, definitionOf('Addon').metadata.name)
        this.#others.forget('Addon')
        return
      default:
        await this.#others.act(event)
    }
  }

  async #setFact({ name, shift }: Extract<WorldEvent, { readonly kind: 'set-fact' }>): Promise<void> {
    const fact = { metadata: { name: factName(name) }, data: { shift: String(shift) } }
    const found = await this.#cluster.find(ConfigMap, fact.metadata.name)
    if (shift === undefined) await this.#cluster.delete(ConfigMap, fact.metadata.name)
    else if (found === undefined) await this.#cluster.create(ConfigMap, fact)
    else await this.#cluster.patch(ConfigMap, fact.metadata.name, { data: fact.data })
  }

  /** Ends all faults and returns what is wrong once the world is idle. */
  async judge(): Promise<readonly string[]> {
    const cluster = this.#cluster
    this.#misbehaviours.end()
    cluster.faults.clear()
    await this.#release()
    await cluster.advance(calmMs)
    const asked = await cluster.requestsDuring(restMs)
    const isAddonInstalled =
      (await cluster.find(CustomResourceDefinition, definitionOf('Addon').metadata.name)) !== undefined
    const parents = await this.#parents()
    const kinds = childKinds.filter((kind) => kind !== 'Addon' || isAddonInstalled)
    const children = (await Promise.all(kinds.map((kind) => this.#list(kind)))).flat()
    const fresh = await this.#applyFresh(parents, isAddonInstalled)
    const faults = verdictOn({
      parents,
      children,
      isAddonInstalled,
      fresh,
      disowned: this.#others.disowned,
      reset: this.#others.reset,
    })
    const isFailing = parents.some(({ of, live }) => !hasStatus(of) || !isTold(live, 'Degraded', 'False'))
    const isWaiting = parents.some(({ live }) => !isTold(live, 'Ready', 'True'))
    const mayAsk = ({ verb, code, resource }: RequestRecord) =>
      verb === 'watch' ||
      code === 404 ||
      // The runtime looks for children of retired kinds until they are pruned. Discovery has no resource.
      (isWaiting && (verb === 'list' || resource === '' || (verb === 'get' && childPlurals.includes(resource)))) ||
      (isFailing && (verb === 'get' || code >= 400 || resource === 'events'))
    const loud = asked.filter((request) => !mayAsk(request))
    return [
      ...faults,
      ...this.#others.faultsIn(children),
      ...(loud.length === 0
        ? []
        : [
            `at rest ${loud.length} requests: ${loud
              .slice(0, 3)
              .map(({ verb, path, code }) => `${verb} ${path} ${code}`)
              .join(', ')}`,
          ]),
      ...this.#broken,
    ]
  }

  #run({ name, controllers }: OperatorPlan, version: number): { stop(): Promise<void> } {
    const made = controllers.map((plan) =>
      strangerController(plan, Math.min(version, plan.versions.length - 1), this.#misbehaviours),
    )
    return this.#cluster.runAs(name, ...made)
  }

  async #restart({ kind, operator: at }: Extract<WorldEvent, { readonly operator: number }>): Promise<void> {
    const operator = this.#operators[at]
    if (operator === undefined) return
    const remove =
      kind === 'crash'
        ? this.#cluster.faults.add({ fault: { kind: 'cut', when: 'before' }, on: { userAgent: 'operator' } })
        : () => {}
    await operator.running.stop()
    remove()
    if (kind === 'upgrade') operator.version += 1
    operator.running = this.#run(operator.plan, operator.version)
    await this.#cluster.advance(0)
  }

  /** Reverts pauses and finalizers, as users eventually do. */
  async #release(): Promise<void> {
    for (const { of, live } of await this.#parents())
      await this.play({ kind: 'resume', of, name: live.metadata.name }, undefined)
    for (const kind of childKinds) {
      const found = await this.#list(kind).catch(() => [])
      for (const { metadata } of found.filter(({ metadata }) => metadata.finalizers?.includes(pin) === true)) {
        const { name, namespace } = metadata
        await this.play({ kind: 'unpin', child: { kind, name, namespace } }, undefined)
      }
    }
  }

  async #list(kind: ChildKind): Promise<readonly LiveObject[]> {
    const places = scopeOf(kind) === 'Cluster' ? [undefined] : [home, elsewhere]
    const found = (await Promise.all(places.map((place) => this.#cluster.list(childResource(kind), place)))).flat()
    return found.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt').map((one) => ({ ...one, kind }))
  }

  async #parents(): Promise<readonly RestingParent[]> {
    const parents: RestingParent[] = []
    for (const { plan, version } of this.#operators) {
      for (const controller of plan.controllers) {
        const of = controller.kind
        const at = Math.min(version, controller.versions.length - 1)
        for (const found of await this.#cluster.list(
          parentResource(of),
          scopeOf(of) === 'Cluster' ? undefined : home,
        )) {
          const live = { ...found, kind: of, apiVersion: strangerVersion } as LiveObject<
            ParentSpec,
            StatusWithConditions
          > // Objects of that kind.
          const shift = shiftOf(await this.#cluster.find(ConfigMap, factName(live.metadata.name)))
          parents.push({ of, live, controller, operator: plan.name, version: at, shift })
        }
      }
    }
    return parents
  }

  async #applyFresh(
    parents: readonly RestingParent[],
    isAddonInstalled: boolean,
  ): Promise<ReadonlyMap<string, LiveObject>> {
    const fresh = new Map<string, LiveObject>()
    const options = { fieldManager: freshManager, force: false }
    for (const parent of parents) {
      for (const child of declaredNow(parent)) {
        const isPart = child.policy.contribute !== undefined || child.policy.coOwn === true
        if ((child.kind === 'Addon' && !isAddonInstalled) || isPart) continue
        const whole = wholeOf(
          { kind: child.kind, name: `fresh-${fresh.size}`, namespace: freshNamespace },
          withoutShared(child.body, child.policy.shared),
        )
        fresh.set(
          freshKey(parent.live, child),
          await this.#cluster.client.apply(childResource(child.kind), whole, options, this.#signal),
        )
      }
    }
    return fresh
  }
}

function withoutShared(body: JsonObject, path: string | undefined): JsonObject {
  const [field = '', member = ''] = path?.split('.') ?? []
  const { [member]: _, ...rest } = (body[field] ?? {}) as JsonObject // A map in every body.
  return path === undefined ? body : { ...body, [field]: rest }
}

function isTold({ status }: RestingParent['live'], type: string, value: string): boolean {
  return findCondition(status?.conditions ?? [], type)?.status === value
}

/** Returns instruments that keep lines about broken invariants. */
function instrumentsFor(broken: string[]): Instruments {
  const keep = (fields: object, message: string) => {
    const line = `${message} ${JSON.stringify(fields)}`
    if (line.includes('InvariantBroken')) broken.push(`log: ${line.slice(0, 500)}`)
  }
  const log: Log = { debug: () => {}, info: () => {}, warn: keep, error: keep, with: () => log }
  return { ...silentInstruments, log }
}
