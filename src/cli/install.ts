// Command `install`: prints or applies the objects of an operator. They are the CRDs of its controllers, and an
// OperatorInstall with the rights of these controllers.
import { type OperatorInstallProps, type OperatorKind, operatorManifests } from '../../constructs/index.ts'
import { messageOf } from '../base/errors.ts'
import { isJsonList, isJsonObject, type Json, own } from '../base/json.ts'
import { readCrd } from '../generate/read-crd.ts'
import { recordsComplaint } from '../generate/records-schema.ts'
import type { Controller } from '../index.ts'
import { type KubeObject, valueAt } from '../object/object.ts'
import { groupResourceOf } from '../object/resource.ts'
import { chosenControllers } from './chosen-controllers.ts'
import { chosenSettings } from './chosen-settings.ts'
import type { ClusterChoice } from './cluster-client.ts'
import { CommandError } from './command-error.ts'
import { definitionOf, loadDefinitions } from './definition-loader.ts'
import { installInto } from './install-applier.ts'
import { type InstallFlags, installPropsOf } from './install-options.ts'
import { type FlagValues, type OperatorCliOptions, userAgentOf } from './program.ts'
import { yamlText } from './yaml-text.ts'

export interface InstallOptions extends ClusterChoice, InstallFlags {
  readonly program: OperatorCliOptions
  /** Flags of the program, passed to the operator. */
  readonly flags: FlagValues
  readonly dryRun?: boolean
  readonly write: (text: string) => void
}

/** Writes the manifests as YAML, or a line for each applied object. The same options give the same bytes. */
export async function install(options: InstallOptions, signal: AbortSignal): Promise<void> {
  const { program, environment, flags } = options
  const controllers = await chosenControllers(program, { names: options.controllers, environment, flags })
  const definitions = await definitionsOf(controllers, program, signal)
  const settings = await chosenSettings(program, { environment, flags })
  const props = installPropsOf(options, { program, flags, settings, controllers })
  const manifests = manifestsOf({ ...props, kinds: kindsOf(controllers, definitions) })
  if (options.dryRun === true) return options.write(yamlText([...definitions, ...manifests]))
  const as = { userAgent: userAgentOf(program), fieldManager: `${program.name}-install` }
  await installInto({ ...options, ...as, definitions, manifests }, signal)
}

/**
 * Returns the definitions of all kinds that the controllers use and the program defines. An operator does not start if
 * a kind is not served.
 */
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
  // Sound: loadManifests returns only objects with apiVersion and kind, and the lookup is by name.
  return [...new Set(kinds.flatMap((kind) => definitionOf(kind, known) ?? []))] as readonly unknown[] as KubeObject[]
}

/** Returns the kinds that the program defines; it grants no rights on kinds of others. */
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

function manifestsOf(props: OperatorInstallProps): readonly KubeObject[] {
  try {
    // Sound: the construct gives apiVersion, kind and metadata to every object.
    return operatorManifests(props) as readonly KubeObject[]
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new CommandError(messageOf(thrown), 2)
    throw thrown
  }
}
