// Reads the ConfigMaps and Secrets of a pod, fresh from the API server each time they are needed: nothing of them stays in
// memory longer than the start of a container.
import { isJsonObject, type Json } from '../base/json.ts'
import type { KubeClient } from '../kube/client.ts'
import { loadIfPresent } from '../kube/object-loader.ts'
import { ConfigMap, Secret } from '../object/built-in.ts'
import { type LiveObject, valueAt } from '../object/object.ts'
import type { SourceNames, SourceObjects } from './source-objects.ts'

type Data = ReadonlyMap<string, Buffer>

/** Those that exist. Rejects like KubeClient.get for any failure but absence. */
export async function loadSources(
  client: Pick<KubeClient, 'get'>,
  namespace: string,
  names: SourceNames,
  signal: AbortSignal,
): Promise<SourceObjects> {
  const load = async (resource: typeof ConfigMap, wanted: Iterable<string>, read: (object: LiveObject) => Data) => {
    const found = await Promise.all(
      [...wanted].map(async (name) => {
        const object = await loadIfPresent(client, resource, { namespace, name }, signal)
        return object === undefined ? undefined : ([name, read(object)] as const)
      }),
    )
    return new Map(found.filter((entry) => entry !== undefined))
  }
  const [configMaps, secrets] = await Promise.all([
    load(ConfigMap, names.configMaps, configMapData),
    load(Secret, names.secrets, (secret) => texts(valueAt(secret, 'data'), 'base64')),
  ])
  return { configMap: (name) => configMaps.get(name), secret: (name) => secrets.get(name) }
}

function configMapData(configMap: LiveObject): Data {
  return new Map([...texts(valueAt(configMap, 'binaryData'), 'base64'), ...texts(valueAt(configMap, 'data'), 'utf8')])
}

function texts(data: Json | undefined, encoding: 'utf8' | 'base64'): Data {
  if (!isJsonObject(data)) return new Map()
  return new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value ?? ''), encoding)]))
}
