// Command `diff`: shows what an apply of resources would change in the cluster, in the resources and in their children.
// Invariants: it writes nothing and shows no value of a Secret.
import { systemClock } from '../base/clock.ts'
import { CodedError } from '../base/errors.ts'
import { systemSecrets } from '../base/random.ts'
import { terminalLine } from '../base/terminal-text.ts'
import { describeChanges } from '../diff/describe.ts'
import { objectChanges } from '../diff/object-changes.ts'
import type { Controller } from '../index.ts'
import type { KubeClient } from '../kube/client.ts'
import { identityOf } from '../object/identity.ts'
import type { KubeObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { type LivePlan, type LiveStep, loadLivePlan } from '../reconcile/live-plan-loader.ts'
import { chosenControllers, controllersOf } from './chosen-controllers.ts'
import { type ClusterChoice, withClient } from './cluster-client.ts'
import { CommandError } from './command-error.ts'
import { loadManifests } from './manifest-loader.ts'
import { type FlagValues, type OperatorCliOptions, userAgentOf } from './program.ts'
import { tryResource } from './resource-trial.ts'

export interface DiffOptions extends ClusterChoice {
  readonly program: OperatorCliOptions
  readonly flags: FlagValues
  readonly files: readonly string[]
  /** Name of the operator in the cluster. */
  readonly name: string
  /** Namespaces that the operator serves; absent: all. */
  readonly namespaces?: readonly string[] | undefined
  /** Field manager of the person or tool that applies the resources. */
  readonly fieldManager: string
  readonly write: (text: string) => void
  /** Writes one sentence to standard error. */
  readonly writeError: (sentence: string) => void
}

/** Resource of a file, with its controllers. */
interface Given {
  readonly file: string
  readonly object: KubeObject
  /** At least one. */
  readonly controllers: readonly [Controller, ...Controller[]]
}

/** Result for one resource. */
interface Findings {
  readonly lines: readonly string[]
  readonly notes: readonly string[]
  readonly isDifferent: boolean
  /** Number of objects that the API server would reject as declared. */
  readonly rejected: number
}

/**
 * Writes a line for each object that would change, and one below it for each field. Returns whether there is a change.
 * Rejects with a CommandError of exit code 2 if a resource is invalid, and then writes nothing. Rejects also if an
 * object cannot be made as declared.
 */
export async function diff(options: DiffOptions, signal: AbortSignal): Promise<boolean> {
  const { program, flags, environment, files, write, writeError } = options
  const controllers = await chosenControllers(program, { flags, environment })
  const given = (await Promise.all(files.map((file) => givenIn(file, controllers, signal)))).flat()
  const compare = async (
    client: KubeClient,
    { namespace = 'default' }: { readonly namespace?: string | undefined },
  ) => {
    const found: Findings[] = []
    for (const one of given) found.push(await findingsOf(placed(one, namespace), { client, options }, signal))
    return found
  }
  const found = await withClient({ ...options, userAgent: userAgentOf(program) }, compare, signal)
  for (const line of found.flatMap(({ lines }) => lines)) write(`${terminalLine(line)}\n`)
  for (const note of found.flatMap(({ notes }) => notes)) writeError(note)
  const rejected = found.reduce((sum, one) => sum + one.rejected, 0)
  if (rejected > 0) throw new CommandError(`${rejected} of the objects cannot be made as declared; see above`, 2)
  return found.some(({ isDifferent }) => isDifferent)
}

async function givenIn(
  file: string,
  controllers: readonly Controller[],
  signal: AbortSignal,
): Promise<readonly Given[]> {
  // Sound: loadManifests returns only objects with apiVersion and kind; the API server asks for the rest.
  const objects = (await loadManifests(file, signal)) as readonly unknown[] as readonly KubeObject[]
  return objects.map((object) => {
    if (typeof object.metadata?.name !== 'string')
      throw new CommandError(`${file}: ${object.kind} has no metadata.name, by which the live one is found`, 2)
    return { file, object, controllers: controllersOf(object, { file, controllers }) }
  })
}

/** Adds the namespace of the kubeconfig's context to an object without a namespace. */
function placed(given: Given, namespace: string): Given {
  const { object, controllers } = given
  if (controllers[0].resource.scope === 'Cluster') return given
  return { ...given, object: { ...object, metadata: { namespace, ...object.metadata } } }
}

interface Asking {
  readonly client: KubeClient
  readonly options: DiffOptions
}

async function findingsOf(given: Given, asking: Asking, signal: AbortSignal): Promise<Findings> {
  try {
    return await comparedOf(given, asking, signal)
  } catch (thrown) {
    if (!(thrown instanceof CodedError)) throw thrown
    throw new CommandError(`${given.file}: ${describeRef(refOf(given.object))}: ${thrown.message}`, 2)
  }
}

async function comparedOf(
  { object, controllers }: Given,
  { client, options: { name, namespaces, fieldManager } }: Asking,
  signal: AbortSignal,
): Promise<Findings> {
  const { resource } = controllers[0]
  const { live, after } = await tryResource(client, { resource, object, fieldManager }, signal)
  const ref = refOf(object)
  const own: LiveStep[] = []
  if (live === undefined) own.push({ kind: 'create', ref })
  else {
    const changes = objectChanges(live, after)
    if (changes.length > 0) own.push({ kind: 'change', ref, object: after, changes })
  }
  const identity = identityOf(name)
  const parts = { client, clock: systemClock, secrets: systemSecrets, identity, namespaces }
  const plans: LivePlan[] = []
  for (const controller of controllers) plans.push(await loadLivePlan({ ...parts, controller }, after, signal))
  const steps = [...own, ...plans.flatMap((plan) => (plan.kind === 'planned' ? plan.steps : []))]
  const outside = controllers.flatMap(({ external, sagas }) => [...external, ...sagas]).map((one) => one.name)
  return {
    lines: steps.flatMap(linesOf),
    notes: [
      ...new Set(plans.flatMap((plan) => (plan.kind === 'idle' ? [`${describeRef(ref)}: ${plan.why}`] : []))),
      ...(outside.length === 0
        ? []
        : [`${describeRef(ref)}: what is outside the cluster is not compared: ${outside.join(', ')}`]),
    ],
    isDifferent: steps.some(({ kind }) => kind !== 'hold'),
    rejected: steps.filter(({ kind }) => kind === 'reject').length,
  }
}

/** Maximum length of the values of one field, in characters. */
const valueWidth = 400

function linesOf(step: LiveStep): readonly string[] {
  const name = describeRef(step.ref)
  switch (step.kind) {
    case 'create':
    case 'delete':
      return [`${step.kind} ${name}`]
    case 'change':
    case 'recreate': {
      const fields = describeChanges(step.object, step.changes, { limit: Number.POSITIVE_INFINITY, width: valueWidth })
      return [`${step.kind} ${name}`, ...fields.map((field) => `  ${field}`)]
    }
    case 'hold':
      return [`hold ${name}: ${step.on}`]
    case 'reject':
      return [`reject ${name}: ${step.error.message}`]
  }
}
