// Collects texts that a message must not contain: values of Secrets and of a request. Names of the request's object are
// excluded, and so are constants of the Kubernetes API such as ClusterIP. Linear in the objects.
import { isJsonList, isJsonObject, type Json } from '../base/json.ts'

export interface SecretTexts {
  /** `namespace/name`. */
  readonly key: string
  readonly texts: readonly string[]
}

/** Longer texts of Secrets are not remembered. */
const longestText = 8_192
/** Texts of one request. The rest of a larger request is redacted only inside quotes. */
const mostTexts = 20_000

/** Fields of metadata that name the object, its version and its owners. */
const namingFields: ReadonlySet<string> = new Set([
  'finalizers',
  'generateName',
  'managedFields',
  'name',
  'namespace',
  'ownerReferences',
  'resourceVersion',
  'uid',
])

/** Constants of built-in kinds that are long enough to look like values. Source: k8s.io/api, types.go. */
const wordsOfApi: ReadonlySet<string> = new Set([
  ...['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort', 'ClientIP', 'PreferDualStack', 'RequireDualStack'],
  ...['OnFailure', 'IfNotPresent', 'ClusterFirst', 'ClusterFirstWithHostNet', 'FallbackToLogsOnError'],
  ...[
    'RollingUpdate',
    'Recreate',
    'OnDelete',
    'OrderedReady',
    'Parallel',
    'NonIndexed',
    'Indexed',
    'TerminatingOrFailed',
  ],
  ...['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod', 'Filesystem', 'WaitForFirstConsumer'],
  ...['Namespaced', 'DoNotSchedule', 'ScheduleAnyway', 'NoSchedule', 'PreferNoSchedule', 'NoExecute', 'DoesNotExist'],
  ...['RuntimeDefault', 'Unconfined', 'Localhost', 'Bidirectional', 'HostToContainer', 'ImplementationSpecific'],
  ...['DirectoryOrCreate', 'FileOrCreate', 'PreemptLowerPriority', 'ServiceAccount', 'ResourceFieldRef'],
])

/** Returns the texts of a Secret; undefined for any other object. */
export function secretTexts(object: object): SecretTexts | undefined {
  if (!isJsonObject(object) || object['kind'] !== 'Secret') return undefined
  const { metadata, data, stringData } = object
  if (!isJsonObject(metadata)) return undefined
  const encoded = textsOf(data)
  const texts = [...encoded, ...encoded.map(decoded), ...textsOf(stringData)].filter(
    (text) => text !== '' && text.length <= longestText,
  )
  return { key: `${metadata['namespace'] ?? ''}/${metadata['name'] ?? ''}`, texts }
}

/**
 * Returns the texts that a request carries as values. An object: all but its type, its names and its owners; a patch:
 * all. Texts of a Secret are also decoded; `kind` is the kind of a patched object.
 */
export function valueTexts(body: unknown, kind?: string): readonly string[] {
  const texts = new Set<string>()
  if (isJsonObject(body)) {
    const { apiVersion: _, kind: __, metadata, ...content } = body
    const named = Object.entries(isJsonObject(metadata) ? metadata : {}).filter(([field]) => !namingFields.has(field))
    collectTexts([content, Object.fromEntries(named)], texts)
  } else if (isJsonList(body)) collectTexts(body.map(valueOfOperation), texts)
  return [...texts, ...encodedTexts(body, texts, kind).map(decoded)]
}

/**
 * Returns the base64 texts of a Secret: all texts of a list of operations, or `data` of an object. Metadata is plain;
 * decoding it would redact names of field managers.
 */
function encodedTexts(body: unknown, texts: ReadonlySet<string>, kind: string | undefined): readonly string[] {
  const isSecret = kind === 'Secret' || (isJsonObject(body) && body['kind'] === 'Secret')
  if (!isSecret) return []
  return isJsonObject(body) ? textsOf(body['data']) : [...texts]
}

/** Iterative: a body may be nested deeply. */
function collectTexts(value: unknown, texts: Set<string>): void {
  const left: unknown[] = [value]
  while (left.length > 0 && texts.size < mostTexts) {
    const next = left.pop()
    if (typeof next === 'string' && next !== '' && !wordsOfApi.has(next)) texts.add(next)
    else if (isJsonList(next)) for (const item of next) left.push(item)
    else if (isJsonObject(next)) for (const item of Object.values(next)) left.push(item)
  }
}

function textsOf(value: unknown): readonly string[] {
  return isJsonObject(value) ? Object.values(value).filter((text) => typeof text === 'string') : []
}

const decoded = (text: string): string => Buffer.from(text, 'base64').toString('utf8')

/** Omits the path: paths of a JSON patch name fields. */
const valueOfOperation = (operation: Json): unknown => (isJsonObject(operation) ? operation['value'] : undefined)
