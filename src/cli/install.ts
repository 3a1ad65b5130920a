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
import type { Resource } from '../object/resource.ts'
import { type AllowLists, allowArguments } from './allow-lists.ts'
import { CommandError } from './command-error.ts'
import { definitionOf, loadDefinitions } from './definition-loader.ts'
import { controllersNamed } from './flagship.ts'
import { type ClusterChoice, installInto } from './install-applier.ts'
import { type MetricsKind, metricsPort } from './metrics-option.ts'
import { yamlText } from './yaml-text.ts'

export interface InstallOptions extends ClusterChoice, AllowLists {
  readonly dryRun?: boolean
  /** Of the operator and its objects. */
  readonly name: string
  /** Default: `<name>-system`. */
  readonly namespace?: string
  readonly image: string
  readonly replicas: number
  /** Which to serve; none: `default`, as kubectl's. */
  readonly namespaces: readonly string[]
  /** Serves all of them instead, with rights on every Secret of the cluster. */
  readonly allNamespaces?: boolean | undefined
  readonly metrics: MetricsKind
  readonly egressPorts?: readonly number[] | undefined
  readonly controllers: readonly string[]
  readonly write: (text: string) => void
}

/** Writes the manifests as YAML, or a line for each object that was applied. The same options give the same bytes. */
export async function install(options: InstallOptions, signal: AbortSignal): Promise<void> {
  const controllers = controllersNamed(options.controllers)
  const definitions = await definitionsOf(controllers, signal)
  const manifests = manifestsOf(options, controllers, definitions)
  if (options.dryRun === true) options.write(yamlText([...definitions, ...manifests]))
  else await installInto({ ...options, definitions, manifests }, signal)
}

/** Of `konverge run`. */
const defaultName = 'konverge'

/** Of all kinds that the controllers deal with and that are defined here: one that is not served keeps an operator from starting. */
async function definitionsOf(controllers: readonly Controller[], signal: AbortSignal): Promise<readonly KubeObject[]> {
  const known = await loadDefinitions(signal)
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

function kindOf(resource: Resource, definitions: readonly KubeObject[]): OperatorKind {
  const { group, plural } = resource
  const definition = definitionOf(resource, definitions)
  const versions = definition && valueAt(definition, 'spec', 'versions')
  const hasScale = isJsonList(versions) && versions.some(isScaled)
  return { group, plural, hasScale }
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
  const { name, namespace, image, replicas } = options
  const namespaces = servedBy(options)
  const args = [
    'run',
    ...(name === defaultName ? [] : [`--name=${name}`]),
    ...(namespaces === undefined ? [] : [`--namespaces=${namespaces.join()}`]),
    ...(options.controllers.length > 0 ? [`--controllers=${options.controllers.join()}`] : []),
    `--metrics=${options.metrics}`,
    ...allowArguments(options),
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
      kinds: controllers.map(({ resource }) => kindOf(resource, definitions)),
      networkPolicy: {
        includesDataPods: true,
        ...(options.egressPorts === undefined ? {} : { egressPorts: options.egressPorts }),
      },
      ...(isProtected ? { metricsPort } : {}),
      ...(namespaces === undefined ? {} : { namespaces }),
    }) as readonly KubeObject[]
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new CommandError(messageOf(thrown), 2)
    throw thrown
  }
}
