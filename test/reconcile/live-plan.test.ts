// The plan of a resource without an operator, compared with the operator's actions after the resource is applied.
import { ApiObject, type Chart } from 'cdk8s'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { handleFetch } from '../../src/apiserver/fetch-handler.ts'
import { seededSecrets } from '../../src/base/random.ts'
import { describeChanges } from '../../src/diff/describe.ts'
import { objectChanges } from '../../src/diff/object-changes.ts'
import {
  ConfigMap,
  type ControllerOptions,
  contribute,
  Deployment,
  defineController,
  defineResource,
  hold,
  initialOnly,
  type KubeObject,
  type LiveObject,
  recreateOnChange,
  Secret,
  Service,
  ServiceAccount,
  type StatusWithConditions,
  shared,
} from '../../src/index.ts'
import { FetchClient } from '../../src/kube/fetch-client.ts'
import { RestClient } from '../../src/kube/rest-client.ts'
import { identityOf } from '../../src/object/identity.ts'
import { type LivePlan, loadLivePlan } from '../../src/reconcile/live-plan-loader.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'

interface SiteSpec {
  readonly image: string
  readonly theme?: string
  readonly extra?: boolean
  readonly suspend?: boolean
}

const Site = defineResource<SiteSpec, StatusWithConditions>({
  ...{ group: 'example.com', version: 'v1', kind: 'Site', plural: 'sites', scope: 'Namespaced' },
})
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const definitionOf = (kind: string, plural: string) => ({
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    scope: 'Namespaced',
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
      },
    ],
  },
})

type Options = ControllerOptions<SiteSpec, StatusWithConditions, unknown>
const siteController = (options: Partial<Options> & Pick<Options, 'desired'>) =>
  defineController<SiteSpec, StatusWithConditions, unknown>(Site, {
    owns: [ConfigMap, Secret, Service, Deployment],
    status: () => ({ fields: {}, conditions: [] }),
    ...options,
  })

const make = (chart: Chart, kind: string, name: string, fields: object) =>
  new ApiObject(chart, `${kind}-${name}`.toLowerCase(), {
    ...{ apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1', kind, metadata: { name } },
    ...fields,
  })

const server = (chart: Chart, name: string, image: string) => {
  const labels = { app: name }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } }
  return make(chart, 'Deployment', name, { spec: { selector: { matchLabels: labels }, template } })
}

const signal = new AbortController().signal
let cluster: TestCluster

beforeEach(async () => {
  cluster = await startCluster({ definitions: [definitionOf('Site', 'sites')] })
})
afterEach(() => cluster.stop())

const site = (spec: SiteSpec, metadata: object = {}) => ({
  metadata: { name: 'a', namespace: 'default', ...metadata },
  spec,
})

const siteObject = (spec: SiteSpec, metadata: object = {}) =>
  ({ apiVersion: 'example.com/v1', kind: 'Site', ...site(spec, metadata) }) as unknown as KubeObject
const asTest = { fieldManager: 'test', force: true }
const applySite = (spec: SiteSpec) => cluster.client.apply(Site, siteObject(spec), asTest, signal)

/** Returns the resource as it would be stored, without storing it. */
async function trialOf(spec: SiteSpec, metadata: object = {}): Promise<LiveObject> {
  const object = siteObject(spec, metadata)
  const found = await cluster.find(Site, 'default/a')
  const options = { ...asTest, dryRun: true }
  if (found !== undefined) return await cluster.client.apply(Site, object, options, signal)
  return await cluster.client.create(Site, object, { fieldManager: 'test', dryRun: true }, signal)
}

function planOf(controller: ReturnType<typeof siteController>, parent: LiveObject, namespaces?: readonly string[]) {
  const { client, clock } = cluster
  const identity = identityOf('operator')
  const secrets = seededSecrets(7)
  return loadLivePlan({ client, clock, secrets, identity, controller, namespaces }, parent, signal)
}

function linesOf(plan: LivePlan): readonly string[] {
  if (plan.kind === 'idle') return [plan.why]
  return plan.steps.flatMap((step) => {
    const head = `${step.kind} ${step.ref.kind} ${step.ref.name}`
    if (step.kind === 'hold') return [`${head}: ${step.on}`]
    if (step.kind === 'reject') return [`${head}: ${step.error.code}`]
    if (!('changes' in step)) return [head]
    return [head, ...describeChanges(step.object, step.changes, { limit: 100 }).map((line) => `  ${line}`)]
  })
}

/** Runs the operator until it is idle. */
async function settledWith(controller: ReturnType<typeof siteController>): Promise<void> {
  const running = cluster.run(controller)
  await cluster.settle()
  await running.stop()
}

/** Returns every child by its name. */
async function children(): Promise<ReadonlyMap<string, LiveObject>> {
  const lists = await Promise.all([ConfigMap, Secret, Service, Deployment].map((kind) => cluster.list(kind, 'default')))
  const named = lists.flat().map((object) => [`${object.kind} ${object.metadata.name}`, object] as const)
  return new Map(named.filter(([name]) => !name.includes('kube')))
}

/** Returns the operator's actions, in the words of the plan. */
function doneBetween(
  before: ReadonlyMap<string, LiveObject>,
  after: ReadonlyMap<string, LiveObject>,
): readonly string[] {
  const made = [...after].flatMap(([name, object]) => {
    const known = before.get(name)
    if (known === undefined) return [`create ${name}`]
    const fields = describeChanges(object, objectChanges(known, object), { limit: 100 })
    return fields.length === 0 ? [] : [`change ${name}`, ...fields.map((line) => `  ${line}`)]
  })
  const gone = [...before.keys()].filter((name) => !after.has(name)).map((name) => `delete ${name}`)
  return [...made, ...gone]
}

describe('the plan of a resource against the live cluster', () => {
  const controller = siteController({
    desired: (chart, { object: { spec } }) => {
      make(chart, 'ConfigMap', 'conf', { data: { image: spec.image, ...(spec.theme ? { theme: spec.theme } : {}) } })
      make(chart, 'Secret', 'key', { stringData: { password: `hunter2-${spec.image}` } })
      shared(server(chart, 'web', spec.image), 'spec.replicas')
      if (spec.extra === true)
        make(chart, 'Service', 'extra', { spec: { ports: [{ port: 80 }], selector: { a: 'b' } } })
    },
  })

  it('creates everything for a resource that does not exist, and writes nothing', async () => {
    const { revision } = cluster.server.log
    expect(linesOf(await planOf(controller, await trialOf({ image: 'a:1' })))).toEqual([
      'create ConfigMap conf',
      'create Deployment web',
      'create Secret key',
    ])
    expect(cluster.server.log.revision).toBe(revision)
  })

  it('is empty for an unchanged resource, although the server has set defaults', async () => {
    await cluster.create(Site, site({ image: 'a:1', extra: true }))
    await settledWith(controller)
    const { revision } = cluster.server.log
    expect(linesOf(await planOf(controller, await trialOf({ image: 'a:1', extra: true })))).toEqual([])
    expect(cluster.server.log.revision).toBe(revision)
  })

  it.each<[string, SiteSpec, SiteSpec]>([
    ['changes fields', { image: 'a:1', theme: 'blue' }, { image: 'a:2', theme: 'red' }],
    ['takes fields away', { image: 'a:1', theme: 'blue' }, { image: 'a:1' }],
    ['adds an object', { image: 'a:1' }, { image: 'a:1', extra: true }],
    ['takes an object away', { image: 'a:1', extra: true }, { image: 'a:1' }],
  ])('equals the operator’s actions after the resource is applied: it %s', async (_, before, after) => {
    await applySite(before)
    await settledWith(controller)
    const known = await children()
    const planned = linesOf(await planOf(controller, await trialOf(after)))
    await applySite(after)
    await settledWith(controller)
    const done = doneBetween(known, await children())
    // The deployment controller writes the revision.
    expect([...planned].sort()).toEqual([...done].filter((line) => !line.includes('revision')).sort())
    expect(planned.length).toBeGreaterThan(0)
    expect(planned.join()).not.toContain('hunter2')
  })

  it('has fields that a user changed by hand, and no shared ones', async () => {
    await cluster.create(Site, site({ image: 'a:1' }))
    await settledWith(controller)
    await cluster.patch(ConfigMap, 'default/conf', { data: { image: 'other', more: 'x' } })
    await cluster.patch(Deployment, 'default/web', { spec: { replicas: 5 } })
    const live = await cluster.find(Site, 'default/a')
    expect(linesOf(await planOf(controller, live as LiveObject))).toEqual([
      'change ConfigMap conf',
      '  data.image: "other" → "a:1"',
    ])
  })

  it('rejects an object of another owner', async () => {
    await cluster.create(ConfigMap, { metadata: { name: 'conf' }, data: { mine: 'yes' } })
    expect(linesOf(await planOf(controller, await trialOf({ image: 'a:1' })))).toEqual([
      'reject ConfigMap conf: ConflictingOwner',
      'create Deployment web',
      'create Secret key',
    ])
  })

  it('requests only owned kinds and objects with names of children', async () => {
    await cluster.create(Site, site({ image: 'a:1' }))
    const parent = await trialOf({ image: 'a:1' })
    const asked: string[] = []
    const { client } = cluster
    const counting = new Proxy(client, {
      get: (target, name: keyof typeof client) => {
        const method = target[name].bind(target) as (...args: readonly unknown[]) => unknown
        return (...args: readonly unknown[]) => {
          asked.push(name === 'read' ? String(args[0]) : `${name} ${(args[0] as { readonly kind: string }).kind}`)
          return method(...args)
        }
      },
    })
    const identity = identityOf('operator')
    const parts = { client: counting, clock: cluster.clock, secrets: seededSecrets(7), identity, controller }
    await loadLivePlan(parts, parent, signal)
    expect(asked.filter((request) => !request.startsWith('/')).sort()).toEqual([
      'get ConfigMap',
      'get Deployment',
      'get Secret',
      // By the ApplySet of the resource, and by its marker on objects with several owners.
      ...['ConfigMap', 'Deployment', 'Secret', 'Service'].flatMap((kind) => [`list ${kind}`, `list ${kind}`]),
    ])
  })
})

describe('a user without the right to write children', () => {
  it('gets the declared changes, and the name of a missing right to read', async () => {
    const controller = siteController({
      owns: [ConfigMap],
      desired: (chart, { object: { spec } }) => void make(chart, 'ConfigMap', 'conf', { data: { image: spec.image } }),
    })
    await applySite({ image: 'a:1' })
    await settledWith(controller)
    const client = await clientOfAccount('viewer')
    const parts = {
      client,
      clock: cluster.clock,
      secrets: seededSecrets(7),
      identity: identityOf('operator'),
      controller,
    }
    const parent = await trialOf({ image: 'a:2' })
    await expect(loadLivePlan(parts, parent, signal)).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('may not list configmaps'),
    })
    await cluster.grant('system:serviceaccount:default:viewer', [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
    ])
    expect(linesOf(await loadLivePlan(parts, parent, signal))).toEqual([
      'change ConfigMap conf',
      '  data.image: "a:1" → "a:2"',
    ])
  })
})

/** A client with only the rights of a service account. */
async function clientOfAccount(name: string) {
  await cluster.create(ServiceAccount, { metadata: { name } })
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name, namespace: 'default' },
    spec: {},
  }
  const options = { fieldManager: 'test', subresource: 'token' } as const
  const { status } = await cluster.client.create(ServiceAccount, request, options, signal)
  const { token } = status as { readonly token: string } // As every TokenRequest is answered.
  const fetch = (request: Request) => handleFetch(cluster.server, request)
  return new RestClient({ http: new FetchClient({ fetch, token, userAgent: name }) })
}

describe('policies in the plan', () => {
  it('recreate objects with immutable fields, if the controller allows it', async () => {
    const desired =
      (allows: boolean): Options['desired'] =>
      (chart, { object: { spec } }) => {
        const map = make(chart, 'ConfigMap', 'conf', { immutable: true, data: { image: spec.image } })
        if (allows) recreateOnChange(map)
      }
    await cluster.create(Site, site({ image: 'a:1' }))
    await settledWith(siteController({ desired: desired(true) }))
    const parent = await trialOf({ image: 'a:2' })
    expect(linesOf(await planOf(siteController({ desired: desired(true) }), parent))).toEqual([
      'recreate ConfigMap conf',
      '  data.image: "a:1" → "a:2"',
    ])
    expect(linesOf(await planOf(siteController({ desired: desired(false) }), parent))).toEqual([
      'reject ConfigMap conf: ImmutableField',
    ])
  })

  it('hold an object, skip initial-only fields, and contribute to objects of others', async () => {
    const controller = siteController({
      watches: [{ resource: Service, contributes: true, keysFor: () => [] }],
      owns: [ConfigMap],
      desired: (chart, { object: { spec } }) => {
        hold(make(chart, 'ConfigMap', 'later', {}), 'waits for its time')
        initialOnly(make(chart, 'ConfigMap', 'first', { data: { image: spec.image } }), 'data.image')
        contribute(make(chart, 'Service', 'front', { metadata: { name: 'front', annotations: { image: spec.image } } }))
      },
    })
    await cluster.create(Service, { metadata: { name: 'front' }, spec: { ports: [{ port: 80 }] } })
    await cluster.create(Site, site({ image: 'a:1' }))
    await settledWith(controller)
    expect(linesOf(await planOf(controller, await trialOf({ image: 'a:2' })))).toEqual([
      'hold ConfigMap later: ConfigMap default/later waits for its time',
      'change Service front',
      '  metadata.annotations.image: "a:1" → "a:2"',
    ])
  })
})

describe('the context of observe in a plan', () => {
  const themes: Options['watches'] = [
    {
      resource: ConfigMap,
      labelSelector: 'theme',
      keysFor: () => [],
      indexes: { theme: ({ metadata: { labels } }) => [labels?.['theme'] ?? ''] },
    },
  ]
  const controller = siteController({
    owns: [Service, Secret],
    watches: themes,
    observe: async ({ live, children, object }) => ({
      styles: live.byIndex(ConfigMap, 'theme', object.spec.theme ?? '').map(({ metadata: { name } }) => name),
      everywhere: (await live.list(ConfigMap, { labels: { theme: 'blue' } })).length,
      children: children.length,
    }),
    desired: (chart, { facts }) => {
      make(chart, 'Secret', 'facts', { metadata: { name: 'facts', annotations: { facts: JSON.stringify(facts) } } })
    },
  })
  const factsIn = async (namespaces?: readonly string[]) => {
    const plan = await planOf(controller, await trialOf({ image: 'a:1', theme: 'blue' }), namespaces)
    if (plan.kind === 'idle') throw new Error(plan.why)
    const [step] = plan.steps
    if (step?.kind !== 'change') throw new Error('the Secret changes')
    return step.changes.map(({ desired }) => JSON.parse(String(desired)))
  }

  it('has the state of the API server: indexes, lists and children', async () => {
    await cluster.create(Site, site({ image: 'a:1' }))
    await settledWith(controller)
    await cluster.create(ConfigMap, { metadata: { name: 'deep-blue', labels: { theme: 'blue' } } })
    await cluster.create(ConfigMap, { metadata: { name: 'sky', namespace: 'kube-system', labels: { theme: 'blue' } } })
    await cluster.create(ConfigMap, { metadata: { name: 'plain' } })
    expect(await factsIn()).toEqual([{ styles: ['deep-blue', 'sky'], everywhere: 2, children: 1 }])
    expect(await factsIn(['default'])).toEqual([{ styles: ['deep-blue'], everywhere: 1, children: 1 }])
  })

  it('omits objects of optional kinds that are not installed, and needs the others', async () => {
    const Gadget = defineResource({ ...Site, kind: 'Gadget', plural: 'gadgets' })
    const withGadget = (optional: boolean) =>
      siteController({
        owns: [ConfigMap, { resource: Gadget, optional }],
        observe: async ({ isAvailable }) => ({ hasGadgets: isAvailable(Gadget) }),
        desired: (chart, { facts }) => {
          make(chart, 'ConfigMap', 'conf', { data: { facts: JSON.stringify(facts) } })
          new ApiObject(chart, 'gadget', { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g' } })
        },
      })
    const parent = await trialOf({ image: 'a:1' })
    expect(linesOf(await planOf(withGadget(true), parent))).toEqual(['create ConfigMap conf'])
    await expect(planOf(withGadget(false), parent)).rejects.toMatchObject({ code: 'KindNotInstalled' })
  })
})

describe('a resource that the operator leaves unchanged', () => {
  const controller = siteController({
    isSuspended: ({ spec }) => spec.suspend === true,
    validate: ({ object: { spec } }) => (spec.image === '' ? { message: 'give an image' } : undefined),
    desired: (chart) => void make(chart, 'ConfigMap', 'conf', {}),
  })

  it('has no plan while it is paused or deleted', async () => {
    expect(linesOf(await planOf(controller, await trialOf({ image: 'a:1', suspend: true })))).toEqual([
      expect.stringContaining('until spec.suspend is no longer true'),
    ])
    const annotations = { 'konverge.dev/paused': 'true' }
    expect(linesOf(await planOf(controller, await trialOf({ image: 'a:1' }, { annotations })))).toEqual([
      expect.stringContaining('until the annotation konverge.dev/paused is removed'),
    ])
    await cluster.create(Site, site({ image: 'a:1' }, { finalizers: ['example.com/hold'] }))
    await settledWith(controller)
    await cluster.delete(Site, 'default/a')
    expect(linesOf(await planOf(controller, await trialOf({ image: 'a:2' })))).toEqual(['it is being deleted'])
  })

  it('fails as its reconcile would, if it is rejected', async () => {
    const plan = planOf(controller, await trialOf({ image: '' }))
    await expect(plan).rejects.toMatchObject({ code: 'InvalidSpec', message: 'give an image' })
  })
})
