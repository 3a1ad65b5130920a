// Command `preview`: prints the manifests that the operator would make of resources, in apply order, without a cluster.
// Rejections have the messages of the API server or the controller. `observe` finds nothing here, and a rejection that
// depends on that is ignored.
import { CodedError } from '../base/errors.ts'
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { systemSecrets } from '../base/random.ts'
import type { Controller, InvalidSpec, LiveReader, ResourceContext } from '../index.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { groupResourceOf, type Resource } from '../object/resource.ts'
import { resourceIn } from '../reconcile/definition.ts'
import { withoutMembership } from '../synth/membership.ts'
import { assertPure } from '../synth/purity.ts'
import { chosenControllers, controllersOf } from './chosen-controllers.ts'
import { CommandError } from './command-error.ts'
import { definitionOf, loadDefinitions } from './definition-loader.ts'
import { DryRun, type DryRunAnswer } from './dry-run.ts'
import { loadManifests } from './manifest-loader.ts'
import type { FlagValues, OperatorCliOptions } from './program.ts'
import { trackedReads } from './tracked-reads.ts'
import { yamlText } from './yaml-text.ts'

export interface PreviewOptions {
  readonly program: OperatorCliOptions
  readonly flags: FlagValues
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly files: readonly string[]
  readonly write: (text: string) => void
}

/** Shared inputs of all resources. */
interface Kit {
  readonly program: OperatorCliOptions
  readonly controllers: readonly Controller[]
  readonly definitions: readonly JsonObject[]
  readonly dryRun: DryRun
}

/**
 * Writes YAML documents. Rejects with a CommandError of exit code 2 if a resource is invalid; then it writes nothing.
 */
export async function preview({ files, write, ...options }: PreviewOptions, signal: AbortSignal): Promise<void> {
  const { program, flags, environment } = options
  const loaded = await Promise.all(
    files.map(async (file) => (await loadManifests(file, signal)).map((object) => ({ file, object }))),
  )
  const definitions = await loadDefinitions(program, signal)
  const controllers = await chosenControllers(program, { flags, environment })
  const kit = { program, controllers, definitions, dryRun: new DryRun(definitions) }
  const rendered: KubeObject[] = []
  for (const { file, object } of loaded.flat()) rendered.push(...(await render(file, object, kit, signal)))
  write(yamlText(rendered))
}

async function render(file: string, object: JsonObject, kit: Kit, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const { program, controllers, definitions, dryRun } = kit
  // Sound: loadManifests returns only objects with apiVersion and kind; the dry run validates the rest.
  const given = object as unknown as KubeObject
  const ours = controllersOf(given, { file, controllers })
  const { resource } = ours[0]
  const isDefined = definitionOf(resource, definitions) !== undefined
  if (!isDefined && !isOfKubernetes(resource)) {
    const name = groupResourceOf(resource)
    throw new CommandError(
      `${file}: this program has no CustomResourceDefinition ${name}, by which preview validates`,
      2,
    )
  }
  const name = `${given.kind} ${given.metadata?.name ?? '(without a name)'}`
  const answer = isDefined ? await dryRun.create(object) : structureOf(resource, object)
  if (answer.kind === 'refused') throw new CommandError(`${file}: ${name} is refused: ${answer.message}`, 2)
  try {
    const object = answer.object as unknown as KubeObject
    const asked = { operatorName: program.name, signal }
    return (await Promise.all(ours.map((controller) => desiredOf(controller, object, asked)))).flat()
  } catch (thrown) {
    if (thrown instanceof CodedError) throw new CommandError(`${file}: ${name}: ${thrown.message}`, 2)
    throw thrown
  }
}

/** Returns whether a resource is built in: its group has no domain, or ends with `.k8s.io`. */
function isOfKubernetes({ group }: Resource): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io')
}

/** Accepts any object with a name, unchanged except for its namespace, for kinds without a CustomResourceDefinition. */
function structureOf({ scope }: Resource, object: JsonObject): DryRunAnswer {
  const { metadata } = object
  if (!isJsonObject(metadata) || typeof metadata.name !== 'string' || metadata.name === '')
    return { kind: 'refused', message: 'metadata.name is missing; give the object a name' }
  const place = scope === 'Cluster' ? {} : { namespace: 'default' }
  return { kind: 'taken', object: { ...object, metadata: { ...place, ...metadata } } }
}

async function desiredOf(
  controller: Controller,
  stored: KubeObject,
  { operatorName, signal }: { readonly operatorName: string; readonly signal: AbortSignal },
): Promise<readonly KubeObject[]> {
  const parent = asPreviewed(stored)
  const object = parent as never
  const context = {
    object,
    signal,
    children: [],
    externals: [],
    sagas: [],
    live: nothingLive,
    nowMs: 0,
    secrets: systemSecrets,
    isAvailable,
  }
  const asked = trackedReads(context, { exempt: ['object', 'signal'] })
  const facts = await controller.observe(asked.view)
  const refusal = refusalOf(controller, { object, facts }, { areFactsCertain: !asked.isRead() })
  if (refusal !== undefined) {
    throw new CodedError({ code: refusal.reason ?? 'InvalidSpec', message: refusal.message, remedy: 'stop' })
  }
  const { objects } = assertPure({
    parent,
    operatorName,
    controllerName: controller.name,
    part: controller.part,
    build: (chart) => controller.desired(chart, { object, facts }),
    scopeOf: (apiVersion, kind, role) => resourceIn(controller, { apiVersion, kind }, role)?.scope,
  })
  // A contribution to an object of another owner is no manifest of this operator.
  return objects.filter(({ policies }) => !policies.contribute).map((desired) => withoutMembership(desired.object))
}

/**
 * Returns the controller's rejection unless it read a fact that `observe` looked up: such facts differ in a cluster.
 */
function refusalOf(
  controller: Controller,
  { object, facts }: ResourceContext<unknown, unknown, unknown>,
  { areFactsCertain }: { readonly areFactsCertain: boolean },
): InvalidSpec | undefined {
  const isObject = typeof facts === 'object' && facts !== null
  const inside = isObject ? trackedReads(facts) : undefined
  const around = trackedReads(
    { object, facts: inside?.view ?? facts },
    { exempt: isObject ? ['object', 'facts'] : ['object'] },
  )
  const refusal = controller.validate(around.view)
  const isCertain = areFactsCertain || !(around.isRead() || inside?.isRead() === true)
  return isCertain ? refusal : undefined
}

/** Removes random and server-managed metadata, so that the same resource gives the same manifests. */
function asPreviewed({ metadata, ...stored }: KubeObject): LiveObject {
  const { name, namespace, labels, annotations } = metadata
  const own = { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) }
  const place = namespace === undefined ? { name } : { name, namespace }
  return {
    ...stored,
    metadata: { ...place, ...own, uid: '00000000-0000-4000-8000-000000000000', resourceVersion: '0' },
  }
}

/** Includes objects whose CRD a cluster may lack. */
const isAvailable = () => true
const nothingLive: LiveReader = {
  find: () => Promise.resolve(undefined),
  list: () => Promise.resolve([]),
  byIndex: () => [],
}
