// How does a client want to write? The options in a write's query, checked as the API server does.
// Source: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go.
import { isJsonList, isJsonObject, type JsonObject, own } from '../base/json.ts'
import { type FieldError, forbidden, invalid, notSupported, required } from './field-error.ts'
import { integer } from './list-options.ts'
import { isTrue } from './request-info.ts'
import { badRequest, invalidObject } from './status-error.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

export interface WriteOptions {
  /** '' where the client named none: then its user agent counts. */
  readonly fieldManager: string
  readonly fieldValidation: FieldValidation
  readonly isDryRun: boolean
  readonly force: boolean
}

export type WriteKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'

const maxManagerLength = 128

/** Throws StatusError (422). `isApply` is whether a patch is a server-side apply. */
export function writeOptionsOf(query: URLSearchParams, kind: WriteKind, isApply = false): WriteOptions {
  const fieldManager = query.get('fieldManager') ?? ''
  const fieldValidation = query.get('fieldValidation') ?? ''
  const dryRun = query.getAll('dryRun')
  const force = query.get('force')
  const faults: FieldError[] = [
    ...(kind === 'PatchOptions' ? patchFaults(fieldManager, force, isApply) : []),
    ...managerFaults(fieldManager),
    ...dryRunFaults(dryRun),
    ...(['', 'Ignore', 'Warn', 'Strict'].includes(fieldValidation)
      ? []
      : [notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn'])]),
  ]
  if (faults.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, '', faults)
  return {
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation), // Checked above.
    isDryRun: dryRun.length > 0,
    force: isTrue(force),
  }
}

function patchFaults(fieldManager: string, force: string | null, isApply: boolean): readonly FieldError[] {
  if (isApply) return fieldManager === '' ? [required('fieldManager', 'is required for apply patch')] : []
  return force === null ? [] : [forbidden('force', 'may not be specified for non-apply patch')]
}

function managerFaults(fieldManager: string): readonly FieldError[] {
  const length = Buffer.byteLength(fieldManager)
  const tooLong: FieldError[] =
    length > maxManagerLength
      ? [{ type: 'FieldValueTooLong', field: 'fieldManager', detail: `may not be more than ${maxManagerLength} bytes` }]
      : []
  const odd = [...fieldManager].findIndex((character) => !/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character))
  return odd < 0
    ? tooLong
    : [...tooLong, invalid('fieldManager', fieldManager, `should only contain printable characters`)]
}

function dryRunFaults(dryRun: readonly string[]): readonly FieldError[] {
  return dryRun.every((value) => value === 'All') ? [] : [notSupported('dryRun', [...dryRun], ['All'])]
}

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined
  readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground' | undefined
  readonly orphanDependents: boolean | undefined
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string }
  readonly isDryRun: boolean
}

/** From the body if there is one, else from the query. Throws StatusError (400, 422). */
export function deleteOptionsOf(query: URLSearchParams, body: JsonObject | undefined): DeleteOptions {
  const options = body === undefined ? queriedOptions(query) : writtenOptions(body)
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
    preconditions: {},
    dryRun: query.getAll('dryRun'),
  }
}

function writtenOptions(body: JsonObject): RawDeleteOptions {
  const kind = own(body, 'kind')
  if (kind !== undefined && kind !== '' && kind !== 'DeleteOptions') {
    const apiVersion = own(body, 'apiVersion') || 'meta.k8s.io/v1'
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:30"`,
    )
  }
  const preconditions = own(body, 'preconditions')
  const grace = own(body, 'gracePeriodSeconds')
  const policy = own(body, 'propagationPolicy')
  const orphan = own(body, 'orphanDependents')
  const dryRun = own(body, 'dryRun')
  const text = (key: string): string | undefined => {
    const value = isJsonObject(preconditions) ? own(preconditions, key) : undefined
    return typeof value === 'string' ? value : undefined
  }
  const uid = text('uid')
  const resourceVersion = text('resourceVersion')
  return {
    gracePeriodSeconds: typeof grace === 'number' ? grace : undefined,
    policy: typeof policy === 'string' ? policy : undefined,
    orphanDependents: typeof orphan === 'boolean' ? orphan : undefined,
    preconditions: {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    dryRun: isJsonList(dryRun) ? dryRun.map(String) : [],
  }
}
