// Three members of one operator with thousands of constantly changing resources, while one member is killed, one sleeps
// and one joins. No resource has two members at one time, none caches foreign resources, and all resources converge.
import { ApiObject } from 'cdk8s'
import { expect, it, onTestFinished } from 'vitest'
import { sleep } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { defineResource, type Resource } from '../../src/object/resource.ts'
import { type Controller, defineController } from '../../src/reconcile/definition.ts'
import { slotCount } from '../../src/reconcile/shard.ts'
import { applySetId } from '../../src/synth/membership.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { MemberOperator } from './member-operator.ts'

const Page = defineResource<{ readonly text: string }, { readonly conditions?: [] }>({
  group: 'example.com',
  version: 'v1',
  kind: 'Page',
  plural: 'pages',
  scope: 'Namespaced',
})

const definition = {
  metadata: { name: 'pages.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Page', plural: 'pages', singular: 'page' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { text: { type: 'string' } } },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
}

/**
 * Records which member reconciles which resource. Records violations: a second member that could write at the same
 * time, or a write to a resource of another member.
 */
class Recorder {
  readonly #working = new Map<string, MemberOperator>()
  readonly overlaps: string[] = []
  readonly workedBy = new Map<string, Set<string>>()

  begin(resource: string, member: MemberOperator): void {
    const other = this.#working.get(resource)
    if (other !== undefined && other !== member && mayWrite(other) && mayWrite(member))
      this.overlaps.push(`${resource} is reconciled by ${other.identity} and ${member.identity}`)
    this.#working.set(resource, member)
    const members = this.workedBy.get(resource) ?? new Set()
    this.workedBy.set(resource, members.add(member.identity))
  }

  end(resource: string, member: MemberOperator): void {
    if (this.#working.get(resource) === member) this.#working.delete(resource)
  }

  wrote(page: LiveObject, member: MemberOperator, others: readonly MemberOperator[]): void {
    const owner = others.find((other) => other !== member && mayWrite(other) && other.shard.keeps(applySetId(page)))
    if (owner !== undefined)
      this.overlaps.push(`${page.metadata.name} is written by ${member.identity} and is of ${owner.identity}`)
  }
}

const mayWrite = ({ fence, clock }: MemberOperator) => fence.isOpen && !clock.isDead

class Pages {
  readonly cluster: TestCluster
  readonly recorder = new Recorder()
  readonly members: MemberOperator[] = []
  writes = 0
  readonly texts = new Map<string, string>()
  readonly #random = seededRandom(7)

  constructor(cluster: TestCluster) {
    this.cluster = cluster
  }

  async start(identity: string): Promise<MemberOperator> {
    const controllerOf = (member: MemberOperator) => this.#controllerOf(member)
    const onWrite = (writer: MemberOperator, resource: Resource, name: string) => {
      if (resource !== ConfigMap && resource !== Page) return
      const metadata = { name: name.replace('-text', ''), namespace: 'default', uid: '', resourceVersion: '' }
      this.writes += 1
      this.recorder.wrote({ apiVersion: 'example.com/v1', kind: 'Page', metadata }, writer, this.members)
    }
    const options = { cluster: this.cluster, identity, controllerOf, maxConcurrent: 100, onWrite }
    const member = new MemberOperator(options)
    this.members.push(member)
    await this.cluster.advance(1)
    return member
  }

  async create(count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      const name = `page-${index}`
      this.texts.set(name, 'first')
      await this.cluster.create(Page, { metadata: { name }, spec: { text: 'first' } })
    }
  }

  /** Advances time by seconds, and edits some resources in each of them. */
  async churn(seconds: number, edits: number): Promise<void> {
    const names = [...this.texts.keys()]
    for (let second = 0; second < seconds; second++) {
      for (let edit = 0; edit < edits; edit++) {
        const name = names[Math.floor(this.#random.next() * names.length)] ?? ''
        const text = `${this.cluster.clock.monotonicMs()}-${edit}`
        this.texts.set(name, text)
        await this.cluster.patch(Page, `default/${name}`, { spec: { text } })
      }
      await this.cluster.advance(1_000)
    }
  }

  /** Names of resources whose child differs from their spec, or whose status is not ready. */
  async unconverged(): Promise<readonly string[]> {
    const children = new Map((await this.cluster.list(ConfigMap)).map((child) => [child.metadata.name, child]))
    const pages = await this.cluster.list(Page)
    return pages.flatMap((page) => {
      const { name, generation } = page.metadata
      const text = (children.get(`${name}-text`)?.['data'] as { text?: string } | undefined)?.text
      const ready = (
        page.status as { conditions?: { type: string; status: string; observedGeneration: number }[] }
      )?.conditions?.find(({ type }) => type === 'Ready')
      const isReady = ready?.status === 'True' && ready.observedGeneration === generation
      return text === this.texts.get(name) && isReady ? [] : [name]
    })
  }

  #controllerOf(member: MemberOperator): Controller {
    const { recorder, cluster } = this
    const random = seededRandom(member.identity.length)
    // Some take longer than the hand-over limit.
    const lookMs = () => (random.next() < 0.1 ? 8_000 : 400) * random.next()
    return defineController(Page, {
      owns: [ConfigMap],
      observe: async ({ object, signal }) => {
        const resource = object.metadata.name
        recorder.begin(resource, member)
        try {
          // The test's time: a sleeping member is still in its reconcile.
          await sleep(cluster.clock, lookMs(), signal)
          await new Promise<void>((resolve) => member.clock.whenAwake(resolve))
        } finally {
          recorder.end(resource, member)
        }
      },
      desired: (chart, { object }) => {
        new ApiObject(chart, 'text', {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `${object.metadata.name}-text` },
          data: { text: object.spec.text },
        })
      },
      status: () => ({ fields: {}, conditions: [] }),
    })
  }
}

async function pages(): Promise<Pages> {
  const cluster = await startCluster({ definitions: [definition], controllers: ['garbage-collector'] })
  const world = new Pages(cluster)
  onTestFinished(async () => {
    for (const member of world.members) await member.stop()
    await cluster.stop()
  })
  return world
}

const working = (members: readonly MemberOperator[]) =>
  members.reduce((sum, { shard }) => sum + shard.slotsIn('worked').length, 0)

it('three members divide 3,000 resources, and no resource has two while members join and leave', async () => {
  const world = await pages()
  const { cluster, recorder } = world
  await world.create(3_000)
  const [a, b] = [await world.start('a'), await world.start('b'), await world.start('c')]
  await world.churn(20, 20)
  expect(working(world.members)).toBe(slotCount)
  for (const { shard } of world.members) expect(shard.slotsIn('worked').length).toBeGreaterThan(50)

  a.kill()
  await world.churn(10, 20)
  const d = await world.start('d')
  await world.churn(20, 20)
  expect(working([b, ...world.members.slice(2)])).toBe(slotCount)

  // It sleeps longer than its Lease lasts, during its reconciles, and wakes when others have its resources.
  b.clock.sleep()
  await world.churn(25, 20)
  b.clock.wake()
  await world.churn(10, 20)
  expect(await b.ended).toMatchObject({ code: 'LeaseLost' })
  expect(await d.stop()).toBe('in order')
  await world.churn(5, 20)

  await cluster.advance(60_000)
  expect(recorder.overlaps).toEqual([])
  expect(await world.unconverged()).toEqual([])
  const moved = [...recorder.workedBy.values()].filter((members) => members.size > 1)
  expect(moved.length).toBeGreaterThan(1_000)
  expect(world.writes).toBeGreaterThan(10_000)
}, 600_000)

it('a member caches only its own resources and their children', async () => {
  const world = await pages()
  await world.create(200)
  const [a, b] = [await world.start('a'), await world.start('b')]
  await world.churn(20, 5)
  const held = async (member: MemberOperator) => {
    const text = await member.metrics.text()
    const objects = (plural: string) =>
      Number(new RegExp(`^store_objects\\{.*resource="${plural}".*\\} (\\d+)$`, 'm').exec(text)?.[1])
    return [objects('pages.example.com'), objects('configmaps')]
  }
  const own = (member: MemberOperator) => (page: LiveObject) => member.shard.keeps(applySetId(page))
  const all = await world.cluster.list(Page)
  for (const member of [a, b]) {
    const count = all.filter(own(member)).length
    expect(count).toBeGreaterThan(50)
    expect(await held(member)).toEqual([count, count])
    expect(member.readiness).toMatch(
      new RegExp(`shards: ok \\(works \\d+ of 256 slots, ${count} resources in memory; members: a, b\\)`),
    )
  }
  expect(all.filter((page) => a.shard.works(applySetId(page)))).toHaveLength(all.filter(own(a)).length)
})
