// CustomResourceDefinitions that a program brings along, by the resource that they define.
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { groupResourceOf, type Resource } from '../object/resource.ts'
import { loadFolder } from './manifest-loader.ts'

/** In the order of their file names; none if the program names no place. Rejects with a CommandError of exit code 2. */
export async function loadDefinitions(
  { crds }: { readonly crds?: URL | string | undefined },
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const objects = crds === undefined ? [] : await loadFolder(crds, signal)
  return objects.filter(({ kind }) => kind === 'CustomResourceDefinition')
}

/** The API server insists on the name: a CRD is called what it defines. */
export function definitionOf<Definition extends { readonly metadata?: unknown }>(
  resource: Resource,
  definitions: readonly Definition[],
): Definition | undefined {
  return definitions.find(({ metadata }) => isJsonObject(metadata) && metadata.name === groupResourceOf(resource))
}
