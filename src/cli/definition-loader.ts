// CustomResourceDefinitions of a program, and the lookup by the resource that they define.
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { groupResourceOf, type Resource } from '../object/resource.ts'
import { loadFolder } from './manifest-loader.ts'

/**
 * Loads the definitions in the order of their file names; empty if the program sets no `crds`. Rejects with a
 * CommandError of exit code 2.
 */
export async function loadDefinitions(
  { crds }: { readonly crds?: URL | string | undefined },
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const objects = crds === undefined ? [] : await loadFolder(crds, signal)
  return objects.filter(({ kind }) => kind === 'CustomResourceDefinition')
}

/** Returns the definition of a resource. The API server requires that the name of a CRD is `<plural>.<group>`. */
export function definitionOf<Definition extends { readonly metadata?: unknown }>(
  resource: Resource,
  definitions: readonly Definition[],
): Definition | undefined {
  return definitions.find(({ metadata }) => isJsonObject(metadata) && metadata.name === groupResourceOf(resource))
}
