// Detection of overlapping file paths inside one volume. Source: k8s.io/kubernetes/pkg/api/pod/warnings.go.
import type { JsonObject } from '../../base/json.ts'
import { trimmedEnd } from '../../base/trimmed-end.ts'
import { goQuoted } from '../field-error.ts'
import { type Struct, structAt, structsAt, textAt, valueAt } from './field-walk.ts'

interface PlacedFile {
  readonly path: string
  /** Origin of the file, in a volume with several sources. */
  readonly source: string
}

export function overlapWarnings(volumes: readonly JsonObject[]): readonly string[] {
  return volumes.flatMap((volume) => {
    const name = goQuoted(textAt(volume, 'name'))
    const warn = (of: string, pairs: readonly string[]): readonly string[] =>
      pairs.map((pair) => `volume ${name} (${of}): overlapping paths: ${pair}`)
    const [map, secret] = [structAt(volume, 'configMap'), structAt(volume, 'secret')]
    return [
      ...warn(`ConfigMap ${goQuoted(textAt(map, 'name'))}`, overlaps(filesOf(map, ''))),
      ...warn(`Secret ${goQuoted(textAt(secret, 'secretName'))}`, overlaps(filesOf(secret, ''))),
      ...warn('DownwardAPI', overlaps(filesOf(structAt(volume, 'downwardAPI'), ''))),
      ...projectedWarnings(structAt(volume, 'projected'), name, warn),
    ]
  })
}

function projectedWarnings(
  projected: Struct,
  name: string,
  warn: (of: string, pairs: readonly string[]) => readonly string[],
): readonly string[] {
  const placed: PlacedFile[] = []
  return structsAt(projected, 'sources').flatMap((source) => {
    if (Object.values(source).every((value) => value === undefined || value === null))
      return [`volume ${name} (Projected) has no sources provided`]
    return warn('Projected', overlaps(projectedFiles(source), placed))
  })
}

/** Returns the files of the first source with items; a valid projection has one source. */
function projectedFiles(source: JsonObject): readonly PlacedFile[] {
  const [map, secret] = [structAt(source, 'configMap'), structAt(source, 'secret')]
  if (hasItems(map)) return filesOf(map, `ConfigMap ${goQuoted(textAt(map, 'name'))}`)
  if (hasItems(secret)) return filesOf(secret, `Secret ${goQuoted(textAt(secret, 'name'))}`)
  const downward = structAt(source, 'downwardAPI')
  if (hasItems(downward)) return filesOf(downward, 'DownwardAPI')
  const token = structAt(source, 'serviceAccountToken')
  return token === undefined ? [] : [{ path: textAt(token, 'path'), source: 'ServiceAccountToken' }]
}

function hasItems(source: Struct): boolean {
  return valueAt(source, 'items') !== undefined
}

function filesOf(source: Struct, name: string): readonly PlacedFile[] {
  return structsAt(source, 'items').map((item) => ({ path: textAt(item, 'path'), source: name }))
}

/** Returns each file with the preceding files that it overlaps; adds them all to `placed`. */
function overlaps(files: readonly PlacedFile[], placed: PlacedFile[] = []): readonly string[] {
  return files.flatMap(({ path, source }) => {
    const file = { path: trimmedEnd(path, '/'), source }
    const met = placed.filter((other) => file.path !== '' && other.path !== '' && isMet(file.path, other.path))
    placed.push(file)
    return met.map((other) => `${shown(file)} with ${shown(other)}`)
  })
}

function isMet(path: string, other: string): boolean {
  return `${other}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${other}/`)
}

function shown({ path, source }: PlacedFile): string {
  return source === '' ? goQuoted(path) : `${goQuoted(path)} (${source})`
}
