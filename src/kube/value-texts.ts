// Texts that a message must not tell: values of Secrets and of a request. Names of the request's object are none, and neither are words of the
// Kubernetes API such as ClusterIP. Linear in the objects.
import { isJsonList, isJsonObject, type Json } from '../base/json.ts'

export interface SecretTexts {
  /** `namespace/name`. */
  readonly key: string
  readonly texts: readonly string[]
}

/** Longer texts of Secrets are not remembered. */
const longestText = 8_192
/** Texts of one request; the rest of a larger one is not looked for outside of quotes. */
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

/** Constants of built-in kinds that are long enough to be taken for values. Source: k8s.io/api, types.go. */
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

/** Undefined for what is no Secret. */
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
 * Texts that a request carries as values: all of an object but its type and what names it and its owners; all of a patch. Of a Secret they
 * are decoded, too; `kind` is that of the object of a patch.
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

/** Texts of a Secret in base64: all of a list of operations, `data` of an object. Metadata is plain: decoded, it would hide names of field managers. */
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

/** Paths of a JSON patch name fields. */
const valueOfOperation = (operation: Json): unknown => (isJsonObject(operation) ? operation['value'] : undefined)
