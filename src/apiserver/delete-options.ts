// Options of a DELETE, from the body or, without a body, from the query.
// They are read as strictly as upstream reads them: a misspelt dry run must not delete anything.
// Source: k8s.io/apiserver/pkg/endpoints/handlers/delete.go,
// k8s.io/apimachinery/pkg/apis/meta/v1/{conversion,types}.go.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import type { ApiRequest } from './exchange.ts'
import { type FieldError, invalid, notSupported } from './field-error.ts'
import { integer } from './list-options.ts'
import { bodyTypeOf, goTypeOf, parseObject, typeMetaType } from './request-body.ts'
import { isTrue } from './request-info.ts'
import { badRequest, invalidObject } from './status-error.ts'
import { dryRunFaults } from './write-options.ts'

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined
  readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground' | undefined
  readonly orphanDependents: boolean | undefined
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string }
  readonly isDryRun: boolean
}

/** Returns the options of a request. Throws StatusError (400, 415, 422). */
export function deleteOptionsOf(request: Pick<ApiRequest, 'body' | 'query' | 'header'>): DeleteOptions {
  return checked(request.body === '' ? queriedOptions(request.query) : writtenOptions(bodyOf(request)))
}

/** Returns options that are nested in another body. Throws StatusError (400, 422). */
export function deleteOptionsIn(written: JsonObject): DeleteOptions {
  return checked(writtenOptions(written))
}

function checked(options: RawDeleteOptions): DeleteOptions {
  const { orphanDependents, policy, dryRun } = options
  const faults: FieldError[] = [
    ...(orphanDependents !== undefined && policy !== undefined
      ? [invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set')]
      : []),
    ...(policy === undefined || ['Orphan', 'Background', 'Foreground'].includes(policy)
      ? []
      : [notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil'])]),
    ...dryRunFaults(dryRun),
  ]
  if (faults.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', faults)
  return {
    gracePeriodSeconds: options.gracePeriodSeconds,
    propagationPolicy: policy as DeleteOptions['propagationPolicy'], // Checked above.
    orphanDependents,
    preconditions: options.preconditions,
    isDryRun: dryRun.length > 0,
  }
}

interface RawDeleteOptions {
  readonly gracePeriodSeconds: number | undefined
  readonly policy: string | undefined
  readonly orphanDependents: boolean | undefined
  readonly preconditions: DeleteOptions['preconditions']
  readonly dryRun: readonly string[]
}

function queriedOptions(query: URLSearchParams): RawDeleteOptions {
  const orphan = query.get('orphanDependents')
  return {
    gracePeriodSeconds: integer(query.get('gracePeriodSeconds')),
    policy: query.get('propagationPolicy') ?? undefined,
    orphanDependents: orphan === null ? undefined : isTrue(orphan),
    preconditions: preconditionsOf(query.get('uid') || undefined, query.get('resourceVersion') || undefined),
    dryRun: query.getAll('dryRun'),
  }
}

function bodyOf({ body, header }: Pick<ApiRequest, 'body' | 'header'>): JsonObject {
  const type = bodyTypeOf(header('content-type'))
  if (body.trim() === 'null') return {}
  return parseObject(body, type, "couldn't get version/kind; json parse error", typeMetaType).value
}

function writtenOptions(value: JsonObject): RawDeleteOptions {
  checkType(value)
  read(value, 'ignoreStoreReadErrorWithClusterBreakingPotential', boolean) // No effect: all objects are readable.
  const preconditions = read(value, 'preconditions', struct) ?? {}
  return {
    gracePeriodSeconds: read(value, 'gracePeriodSeconds', int64),
    policy: read(value, 'propagationPolicy', text('v1.DeletionPropagation')),
    orphanDependents: read(value, 'orphanDependents', boolean),
    preconditions: preconditionsOf(
      read(preconditions, 'uid', text('types.UID'), 'Preconditions.preconditions'),
      read(preconditions, 'resourceVersion', text('string'), 'Preconditions.preconditions'),
    ),
    dryRun: read(value, 'dryRun', texts) ?? [],
  }
}

function preconditionsOf(uid: string | undefined, resourceVersion: string | undefined): DeleteOptions['preconditions'] {
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) }
}

/** Accepts the kind DeleteOptions of any group. Throws StatusError (400) for other types. */
function checkType(value: JsonObject): void {
  for (const name of ['apiVersion', 'kind']) {
    const given = own(value, name) ?? ''
    if (typeof given !== 'string')
      throw badRequest(
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${goTypeOf(given)} into Go struct field .${name} of type string`,
      )
  }
  const apiVersion = String(own(value, 'apiVersion') || 'meta.k8s.io/v1')
  if (apiVersion.split('/').length > 2) throw badRequest(`unexpected GroupVersion string: ${apiVersion}`)
  const kind = String(own(value, 'kind') || 'DeleteOptions')
  if (kind !== 'DeleteOptions')
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    )
}

/** Converts a non-null value; on a mismatch it names the given and the wanted Go type. */
type Reader<Value> = (
  value: Exclude<Json, null>,
) => { readonly value: Value } | { readonly given: string; readonly goType: string }

/** Returns the converted field, or undefined for null. Throws StatusError (400) for a value of another type. */
function read<Value>(
  from: JsonObject,
  name: string,
  reader: Reader<Value>,
  within = 'DeleteOptions',
): Value | undefined {
  const given = own(from, name) ?? null
  if (given === null) return undefined
  const result = reader(given)
  if ('value' in result) return result.value
  throw badRequest(
    `json: cannot unmarshal ${result.given} into Go struct field ${within}.${name} of type ${result.goType}`,
  )
}

function text(goType: string): Reader<string> {
  return (value) => (typeof value === 'string' ? { value } : { given: goTypeOf(value), goType })
}

const boolean: Reader<boolean> = (value) =>
  typeof value === 'boolean' ? { value } : { given: goTypeOf(value), goType: 'bool' }

const struct: Reader<JsonObject> = (value) =>
  isJsonObject(value) ? { value } : { given: goTypeOf(value), goType: 'v1.Preconditions' }

const int64: Reader<number> = (value) => {
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  if (isNumber && Number.isInteger(Number(value)) && Math.abs(Number(value)) < 2 ** 63) return { value: Number(value) }
  return { given: isNumber ? `number ${value}` : goTypeOf(value), goType: 'int64' }
}

const texts: Reader<readonly string[]> = (value) => {
  if (!isJsonList(value)) return { given: goTypeOf(value), goType: '[]string' }
  const odd = value.find((item) => typeof item !== 'string' && item !== null)
  return odd === undefined
    ? { value: value.map((item) => String(item ?? '')) }
    : { given: goTypeOf(odd ?? null), goType: 'string' }
}
