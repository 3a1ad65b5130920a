// Problems of a status that a controller returns. Pure. Invariant: a report without a problem can be written as JSON,
// and its conditions are valid.
import { messageOf } from '../base/errors.ts'
import { isJsonList, isJsonObject } from '../base/json.ts'
import { nameList } from '../base/name-list.ts'
import { isKubeError, type KubeError } from '../kube/kube-errors.ts'
import { wireJson } from '../synth/wire-json.ts'

/**
 * Returns the first problem, in one sentence without values; undefined if there is none. `report` is the result of the
 * author's function.
 */
export function reportProblem(report: unknown): string | undefined {
  if (!isJsonObject(report)) return 'it returned no object; return { fields, conditions }'
  if (typeof report.then === 'function') return 'it returned a promise; gather facts in observe'
  const { fields = {}, conditions = [], events = [], dueAtMs = [] } = report
  return (
    fieldsProblem(fields) ??
    claimsProblem(conditions) ??
    listProblem('events', events, ['type', 'reason', 'action', 'note']) ??
    (isJsonList(dueAtMs) && dueAtMs.every((ms) => typeof ms === 'number')
      ? undefined
      : 'dueAtMs is no list of numbers; return milliseconds since the epoch')
  )
}

/** Returns the first problem of conditions alone. */
export function claimsProblem(claims: unknown): string | undefined {
  const problem = listProblem('conditions', claims, ['type', 'status', 'reason', 'message'])
  if (problem !== undefined || !isJsonList(claims)) return problem
  const at = claims.findIndex((claim) => isJsonObject(claim) && !statuses.has(claim.status))
  return at < 0 ? undefined : `conditions[${at}].status is neither True, False nor Unknown; return one of them`
}

const statuses: ReadonlySet<unknown> = new Set(['True', 'False', 'Unknown'])

/** True if the API server has read the status and rejects it, from any writer. */
export function isRejectedStatus(thrown: unknown): thrown is KubeError {
  return isKubeError(thrown, 'BadRequest', 'Invalid', 'RequestEntityTooLarge', 'UnknownField')
}

/** Number of fields that a message names. */
const namedFields = 5

/** Names the fields that the API server rejects, or quotes its message. */
export function rejectedStatusProblem(error: KubeError): string {
  const fields = [...new Set(error.causes.map(({ field }) => field).filter((field) => field !== ''))]
  const where = fields.length === 0 ? '' : ` because of ${nameList(fields, namedFields)}`
  return `the API server rejects it${where}: ${error.message}; correct the function or the CRD`
}

function fieldsProblem(fields: unknown): string | undefined {
  if (fields === null) return undefined
  if (!isJsonObject(fields)) return 'fields is no object; return the fields of the status'
  try {
    wireJson(fields, { name: 'fields' })
    return undefined
  } catch (thrown) {
    return messageOf(thrown)
  }
}

function listProblem(name: string, list: unknown, texts: readonly string[]): string | undefined {
  if (!isJsonList(list)) return `${name} is no list; return a list, which may be empty`
  for (const [at, item] of list.entries()) {
    if (!isJsonObject(item)) return `${name}[${at}] is no object; return { ${texts.join(', ')} }`
    const missing = texts.find((text) => typeof item[text] !== 'string' || (text === 'type' && item[text] === ''))
    if (missing !== undefined) return `${name}[${at}]${typeIn(item.type)} has no text as ${missing}; return one`
  }
  return undefined
}

function typeIn(type: unknown): string {
  return typeof type === 'string' && type !== '' ? ` (${type})` : ''
}
