// Query options of a write, validated like upstream.
// Source: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go.
import { type FieldError, forbidden, invalid, notSupported, required } from './field-error.ts'
import { isTrue } from './request-info.ts'
import { invalidObject } from './status-error.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

export interface WriteOptions {
  /** '' if the client named none; the user agent then decides. */
  readonly fieldManager: string
  readonly fieldValidation: FieldValidation
  readonly isDryRun: boolean
  readonly force: boolean
}

export type WriteKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'

const maxManagerLength = 128

/** Returns the options of a write. `isApply`: the patch is a server-side apply. Throws StatusError (422). */
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
  return [...tooLong, ...oddCharacters(fieldManager)]
}

/** Returns an error for each non-printable character, with its byte offset. */
function oddCharacters(fieldManager: string): readonly FieldError[] {
  let position = 0
  return [...fieldManager].flatMap((character) => {
    const at = position
    position += Buffer.byteLength(character)
    if (printable.test(character)) return []
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return [invalid('fieldManager', fieldManager, `invalid character U+${code} (at position ${at})`)]
  })
}

const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

export function dryRunFaults(dryRun: readonly string[]): readonly FieldError[] {
  return dryRun.every((value) => value === 'All') ? [] : [notSupported('dryRun', [...dryRun], ['All'])]
}
