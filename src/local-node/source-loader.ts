// Loader of a pod's ConfigMaps and Secrets, read from the API server on each use. The last values are kept during the
// pod's life, so that a container can restart while the API server is unreachable.
import { isJsonObject, type Json } from '../base/json.ts'
import type { KubeClient } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import { loadIfPresent } from '../kube/object-loader.ts'
import { ConfigMap, Secret } from '../object/built-in.ts'
import { type LiveObject, valueAt } from '../object/object.ts'
import type { PodObject } from './pod.ts'
import type { SourceNames, SourceObjects } from './source-objects.ts'

type Data = ReadonlyMap<string, Buffer>

/** Last values of each pod, by purpose. */
export class SourceLoader {
  readonly #client: Pick<KubeClient, 'get'>
  readonly #lastRead = new Map<string, Map<string, SourceObjects>>()

  constructor(client: Pick<KubeClient, 'get'>) {
    this.#client = client
  }

  /**
   * Loads the objects; while the API server does not answer, returns the last values. Otherwise rejects like
   * KubeClient.get.
   */
  async load({ pod, purpose, names }: SourceAsk, signal: AbortSignal): Promise<SourceObjects> {
    const { uid, namespace = '' } = pod.metadata
    const read = this.#lastRead.get(uid) ?? new Map<string, SourceObjects>()
    this.#lastRead.set(uid, read)
    const before = read.get(purpose)
    try {
      const sources = await loadSources(this.#client, namespace, names, signal)
      read.set(purpose, sources)
      return sources
    } catch (thrown) {
      if (before !== undefined && isNoAnswer(thrown)) return before
      throw thrown
    }
  }

  /** Drops the values of a deleted pod. */
  forget(uid: string): void {
    this.#lastRead.delete(uid)
  }
}

export interface SourceAsk {
  readonly pod: PodObject
  /** `volumes`, or the name of the container whose variables need the objects. */
  readonly purpose: string
  readonly names: SourceNames
}

/** Returns whether a failure means that the API server gave no answer. */
export function isNoAnswer(thrown: unknown): boolean {
  return isKubeError(thrown, 'Unreachable', 'Timeout', 'ServiceUnavailable', 'ServerError', 'TooManyRequests')
}

/** Loads the existing objects. Rejects like KubeClient.get for any failure except NotFound. */
async function loadSources(
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
