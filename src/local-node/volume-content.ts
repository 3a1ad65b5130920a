// Files of ConfigMap, Secret, downward API and projected volumes: relative paths, bytes and modes, from objects that
// were read before. Source: kubelet's pkg/volume/{configmap,secret,downwardapi,projected}, including the error
// messages.
import { posix } from 'node:path'
import type { DownwardItem, PodObject, Projection, Volume, VolumeSource } from './pod.ts'
import { type PodPlace, podFieldValue } from './pod-field.ts'
import { resourceFieldValue } from './resource-field.ts'
import { ContainerConfigError, type SourceNames, type SourceObjects } from './source-objects.ts'

export interface VolumeFile {
  readonly bytes: Buffer
  readonly mode: number
}

export type VolumeFiles = ReadonlyMap<string, VolumeFile>

export interface TokenAsk {
  readonly audience?: string
  readonly expirationSeconds?: number
}

export interface ContentAsk {
  readonly pod: PodObject
  readonly sources: SourceObjects
  readonly place: PodPlace
  readonly allocatable: Readonly<Record<string, string>>
  /** Returns the token that was created for this request. */
  readonly token: (ask: TokenAsk) => string
}

const defaultMode = 0o644
/** Only its owner can read a token. Source: pkg/volume/projected. */
const tokenMode = 0o600

/**
 * Returns the files; undefined for other kinds of volumes. Throws a ContainerConfigError for a missing required source.
 */
export function volumeFilesOf(volume: Volume, ask: ContentAsk): VolumeFiles | undefined {
  const { configMap, secret, downwardAPI, projected } = volume
  if (configMap !== undefined || secret !== undefined) return fromSources(volume, ask)
  const mode = (downwardAPI ?? projected)?.defaultMode ?? defaultMode
  if (downwardAPI !== undefined) return checked(downward(downwardAPI.items ?? [], ask, mode))
  if (projected === undefined) return undefined
  return checked((projected.sources ?? []).flatMap((source) => projection(source, ask, mode)))
}

/** Returns the names of the objects that `volumeFilesOf` reads. */
export function volumeSources(volumes: readonly Volume[]): SourceNames {
  const projections = volumes.flatMap(({ projected }) => projected?.sources ?? [])
  const configMaps = [...volumes, ...projections].map(({ configMap }) => configMap?.name)
  const secrets = [...volumes.map(({ secret }) => secret?.secretName), ...projections.map(({ secret }) => secret?.name)]
  const present = (names: readonly (string | undefined)[]) => new Set(names.filter((name) => name !== undefined))
  return { configMaps: present(configMaps), secrets: present(secrets) }
}

export function tokenAsks(volumes: readonly Volume[]): readonly TokenAsk[] {
  return volumes
    .flatMap(({ projected }) => projected?.sources ?? [])
    .flatMap(({ serviceAccountToken }) => (serviceAccountToken === undefined ? [] : [serviceAccountToken]))
}

type Entry = readonly [path: string, file: VolumeFile]

function fromSources({ configMap, secret }: Volume, ask: ContentAsk): VolumeFiles {
  if (configMap !== undefined) {
    const found = {
      ...configMap,
      kind: 'configmap',
      word: 'config',
      data: ask.sources.configMap(configMap.name),
    } as const
    return checked(keyed(found, configMap.defaultMode ?? defaultMode))
  }
  const name = secret?.secretName ?? ''
  const found = { ...secret, name, kind: 'secret', word: 'secret', data: ask.sources.secret(name) } as const
  return checked(keyed(found, secret?.defaultMode ?? defaultMode))
}

function projection(source: Projection, ask: ContentAsk, mode: number): readonly Entry[] {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source
  if (configMap !== undefined) {
    return keyed({ ...configMap, kind: 'configmap', word: 'config', data: ask.sources.configMap(configMap.name) }, mode)
  }
  if (secret !== undefined) {
    return keyed({ ...secret, kind: 'secret', word: 'secret', data: ask.sources.secret(secret.name) }, mode)
  }
  if (downwardAPI !== undefined) return downward(downwardAPI.items ?? [], ask, mode)
  if (serviceAccountToken !== undefined) {
    const bytes = Buffer.from(ask.token(serviceAccountToken))
    return [[serviceAccountToken.path, { bytes, mode: tokenMode }]]
  }
  throw new ContainerConfigError(
    `the local node does not project ${Object.keys(source).join(', ')}; it knows configMap, secret, downwardAPI and serviceAccountToken`,
  )
}

interface KeyedSource extends VolumeSource {
  readonly name: string
  readonly kind: 'configmap' | 'secret'
  readonly word: string
  readonly optional?: boolean
  readonly data: ReadonlyMap<string, Buffer> | undefined
}

function keyed({ name, kind, word, optional, data, items }: KeyedSource, mode: number): readonly Entry[] {
  if (data === undefined) {
    if (optional === true) return []
    throw new ContainerConfigError(`${kind} "${name}" not found`)
  }
  if (items === undefined) return [...data].map(([key, bytes]) => [key, { bytes, mode }])
  return items.flatMap((item): Entry[] => {
    const bytes = data.get(item.key)
    if (bytes !== undefined) return [[item.path, { bytes, mode: item.mode ?? mode }]]
    if (optional === true) return []
    throw new ContainerConfigError(`${kind} references non-existent ${word} key: ${item.key}`)
  })
}

function downward(items: readonly DownwardItem[], ask: ContentAsk, mode: number): readonly Entry[] {
  return items.map((item) => [item.path, { bytes: Buffer.from(downwardText(item, ask)), mode: item.mode ?? mode }])
}

function downwardText({ fieldRef, resourceFieldRef }: DownwardItem, ask: ContentAsk): string {
  if (fieldRef !== undefined) return podFieldValue(ask.pod, fieldRef.fieldPath, ask.place)
  if (resourceFieldRef === undefined) return ''
  return resourceFieldValue({ ...ask, container: undefined, reference: resourceFieldRef })
}

/**
 * Rejects paths outside the volume. The API server rejects them too; this is a second check before files are written.
 */
function checked(entries: readonly Entry[]): VolumeFiles {
  for (const [path] of entries) {
    const isInside = path !== '' && !posix.isAbsolute(path) && !path.split('/').includes('..')
    if (!isInside) throw new ContainerConfigError(`the path ${JSON.stringify(path)} does not stay in its volume`)
  }
  return new Map(entries)
}
