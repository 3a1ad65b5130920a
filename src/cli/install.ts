// What has to be in a cluster for the operator to run there? The CRDs of its controllers, and an OperatorInstall with the rights
// that these controllers need. Printed for kubectl, or applied.
import { type OperatorKind, operatorManifests } from '../../constructs/index.ts'
import { messageOf } from '../base/errors.ts'
import { isJsonList, isJsonObject, type Json, own } from '../base/json.ts'
import { rightsOf } from '../generate/rbac.ts'
import { readCrd } from '../generate/read-crd.ts'
import { recordsComplaint } from '../generate/records-schema.ts'
import type { Controller } from '../index.ts'
import { type KubeObject, valueAt } from '../object/object.ts'
import { groupResourceOf } from '../object/resource.ts'
import { chosenControllers } from './chosen-controllers.ts'
import type { ClusterChoice } from './cluster-client.ts'
import { CommandError } from './command-error.ts'
import { definitionOf, loadDefinitions } from './definition-loader.ts'
import { installInto } from './install-applier.ts'
import { type MetricsKind, metricsPort } from './metrics-option.ts'
import { type FlagValues, longNameOf, type OperatorCliOptions, userAgentOf } from './program.ts'
import { yamlText } from './yaml-text.ts'

export interface InstallOptions extends ClusterChoice {
  readonly program: OperatorCliOptions
  /** Passed on to the operator. */
  readonly flags: FlagValues
  readonly dryRun?: boolean
  /** Of the operator and its objects. */
  readonly name: string
  /** Default: `<name>-system`. */
  readonly namespace?: string
  /** Default: that of the program. */
  readonly image?: string | undefined
  readonly replicas: number
  /** Which to serve; none: `default`, as kubectl's. */
  readonly namespaces: readonly string[]
  /** Serves all of them instead, with rights on every Secret of the cluster. */
  readonly allNamespaces?: boolean | undefined
  readonly metrics: MetricsKind
  /** Default: those of the program. */
  readonly egressPorts?: readonly number[] | undefined
  /** Adds the NetworkPolicies of the pods of konverge's own kinds. Default: false. */
  readonly includesDataPods?: boolean | undefined
  readonly controllers: readonly string[]
  readonly write: (text: string) => void
}

/** Writes the manifests as YAML, or a line for each object that was applied. The same options give the same bytes. */
export async function install(options: InstallOptions, signal: AbortSignal): Promise<void> {
  const { program, environment, flags } = options
  const controllers = await chosenControllers(program, { names: options.controllers, environment, flags })
  const definitions = await definitionsOf(controllers, program, signal)
  const manifests = manifestsOf(options, controllers, definitions)
  if (options.dryRun === true) return options.write(yamlText([...definitions, ...manifests]))
  const as = { userAgent: userAgentOf(program), fieldManager: `${program.name}-install` }
  await installInto({ ...options, ...as, definitions, manifests }, signal)
}

/** Of all kinds that the controllers deal with and that are defined here: one that is not served keeps an operator from starting. */
async function definitionsOf(
  controllers: readonly Controller[],
  program: OperatorCliOptions,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const known = await loadDefinitions(program, signal)
  for (const controller of controllers) {
    const { name, resource, external, sagas } = controller
    const definition = definitionOf(resource, known)
    if (definition === undefined || external.length + sagas.length === 0) continue
    const complaint = recordsComplaint(readCrd(definition, name), controller)
    if (complaint !== undefined) throw new CommandError(complaint, 2)
  }
  const kinds = controllers.flatMap(({ resource, owns, watches, reads }) => [
    resource,
    ...[...owns, ...watches, ...reads].map((declared) => declared.resource),
  ])
  // Sound: loadManifests returns only objects with apiVersion and kind, and the look-up is by name.
  return [...new Set(kinds.flatMap((kind) => definitionOf(kind, known) ?? []))] as readonly unknown[] as KubeObject[]
}

/** The kinds that the program defines: rights on those of others are not its to give. */
function kindsOf(controllers: readonly Controller[], definitions: readonly KubeObject[]): readonly OperatorKind[] {
  const resources = new Map(controllers.map(({ resource }) => [groupResourceOf(resource), resource]))
  return [...resources.values()].flatMap((resource) => {
    const definition = definitionOf(resource, definitions)
    if (definition === undefined) return []
    const versions = valueAt(definition, 'spec', 'versions')
    const { group, plural } = resource
    return [{ group, plural, hasScale: isJsonList(versions) && versions.some(isScaled) }]
  })
}

function isScaled(version: Json): boolean {
  const subresources = isJsonObject(version) ? own(version, 'subresources') : undefined
  return isJsonObject(subresources) && own(subresources, 'scale') !== undefined
}

/** Undefined: all namespaces, which nobody gets without asking for it. */
function servedBy({ namespaces, allNamespaces = false }: InstallOptions): readonly string[] | undefined {
  if (!allNamespaces) return namespaces.length === 0 ? ['default'] : namespaces
  if (namespaces.length === 0) return undefined
  throw new CommandError('--all-namespaces and --namespaces exclude each other; give one of them', 2)
}

function manifestsOf(
  options: InstallOptions,
  controllers: readonly Controller[],
  definitions: readonly KubeObject[],
): readonly KubeObject[] {
  const { program, name, namespace, replicas, image = program.image } = options
  if (image === undefined) throw new CommandError('--image is missing: give the container image of the operator', 2)
  const namespaces = servedBy(options)
  const args = [
    'run',
    ...(name === program.name ? [] : [`--name=${name}`]),
    ...(namespaces === undefined ? [] : [`--namespaces=${namespaces.join()}`]),
    ...(options.controllers.length > 0 ? [`--controllers=${options.controllers.join()}`] : []),
    `--metrics=${options.metrics}`,
    ...flagArguments(options),
  ]
  const isProtected = options.metrics === 'protected'
  const rules = rightsOf({ name, controllers, protectsMetrics: isProtected })
  try {
    // Sound: the construct gives apiVersion, kind and metadata to every object.
    return operatorManifests({
      name,
      ...(namespace === undefined ? {} : { namespace }),
      image,
      replicas,
      args,
      rules,
      kinds: kindsOf(controllers, definitions),
      networkPolicy: {
        includesDataPods: options.includesDataPods ?? false,
        egressPorts: options.egressPorts ?? program.egressPorts ?? defaultEgressPorts,
      },
      ...(isProtected ? { metricsPort } : {}),
      ...(namespaces === undefined ? {} : { namespaces }),
    }) as readonly KubeObject[]
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new CommandError(messageOf(thrown), 2)
    throw thrown
  }
}

/** HTTPS, and API servers that listen elsewhere. */
const defaultEgressPorts = [443, 6443]

/** The flags as arguments of `run`, in the order in which the program declares them. */
function flagArguments({ program, flags }: InstallOptions): readonly string[] {
  return (program.flags ?? []).flatMap(({ flag }) => {
    const name = longNameOf(flag)
    const value = flags[name]
    if (value === undefined) return []
    return [value === true ? `--${name}` : `--${name}=${value}`]
  })
}
