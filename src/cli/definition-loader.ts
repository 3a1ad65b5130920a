// Which CRDs does this program bring along? Those of the package, by the resource that they define.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { groupResourceOf, type Resource } from '../object/resource.ts'
import { loadManifests } from './manifest-loader.ts'
import { packageFolder } from './package-folder.ts'

/** In the order of their file names. */
export async function loadDefinitions(signal: AbortSignal): Promise<readonly JsonObject[]> {
  const folder = join(packageFolder(), 'crds')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort()
  return (await Promise.all(names.map((name) => loadManifests(join(folder, name), signal)))).flat()
}

/** The API server insists on the name: a CRD is called what it defines. */
export function definitionOf<Definition extends { readonly metadata?: unknown }>(
  resource: Resource,
  definitions: readonly Definition[],
): Definition | undefined {
  return definitions.find(({ metadata }) => isJsonObject(metadata) && metadata.name === groupResourceOf(resource))
}
