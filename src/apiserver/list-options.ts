// Query options of a list or a watch, parsed and validated like upstream.
// Source: k8s.io/apimachinery/pkg/apis/meta/internalversion/{types,defaults,validation}.
import { type FieldError, forbidden, notSupported } from './field-error.ts'
import { checkFields, type FieldTerm, parseFieldSelector } from './field-selector.ts'
import { parseLabelSelector, type Requirement } from './label-selector.ts'
import { isTrue } from './request-info.ts'
import { badRequest, invalidObject } from './status-error.ts'
import type { ServedResource } from './strategy.ts'

export interface ListOptions {
  readonly labels: readonly Requirement[]
  readonly fields: readonly FieldTerm[]
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  readonly limit: number
  readonly continueToken: string
  readonly timeoutSeconds: number | undefined
  readonly sendsInitialEvents: boolean | undefined
  readonly allowsBookmarks: boolean
}

export function listOptionsOf(query: URLSearchParams, resource: ServedResource, isWatch: boolean): ListOptions {
  const sendInitialEvents = query.get('sendInitialEvents')
  const resourceVersion = query.get('resourceVersion') ?? ''
  const allowsBookmarks = isTrue(query.get('allowWatchBookmarks'))
  const options: ListOptions = {
    labels: parseLabelSelector(query.get('labelSelector') ?? ''),
    fields: parseFieldSelector(query.get('fieldSelector') ?? ''),
    resourceVersion,
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: integer(query.get('limit')) ?? 0,
    continueToken: query.get('continue') ?? '',
    timeoutSeconds: integer(query.get('timeoutSeconds')),
    sendsInitialEvents: sendInitialEvents === null ? undefined : isTrue(sendInitialEvents),
    allowsBookmarks,
  }
  const completed = isWatch && beginsWithState(options) ? { ...options, ...fromStateOfNow } : options
  const faults = isWatch ? watchFaults(completed) : listFaults(completed)
  if (faults.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', faults)
  checkFields(completed.fields, resource)
  return completed
}

const fromStateOfNow = { sendsInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } as const

/** Returns whether a watch starts with synthetic events of the current state: without a version, or from 0. */
function beginsWithState({ sendsInitialEvents, resourceVersionMatch, resourceVersion }: ListOptions): boolean {
  return sendsInitialEvents === undefined && resourceVersionMatch === '' && /^0?$/.test(resourceVersion)
}

export function integer(text: string | null): number | undefined {
  if (text === null) return undefined
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  if (BigInt.asIntN(64, BigInt(text)) !== BigInt(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`)
  return Number(text)
}

function listFaults(options: ListOptions): readonly FieldError[] {
  const { resourceVersionMatch: match, resourceVersion, continueToken, sendsInitialEvents } = options
  const field = 'resourceVersionMatch'
  return [
    ...(match !== '' && resourceVersion === ''
      ? [forbidden(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided')]
      : []),
    ...(match !== '' && continueToken !== ''
      ? [forbidden(field, 'resourceVersionMatch is forbidden when continue is provided')]
      : []),
    ...(match !== '' && match !== 'Exact' && match !== 'NotOlderThan'
      ? [notSupported(field, match, ['Exact', 'NotOlderThan', ''])]
      : []),
    ...(match === 'Exact' && resourceVersion === '0'
      ? [forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')]
      : []),
    ...(sendsInitialEvents !== undefined
      ? [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')]
      : []),
  ]
}

function watchFaults({
  resourceVersionMatch: match,
  continueToken,
  sendsInitialEvents,
}: ListOptions): readonly FieldError[] {
  const field = 'resourceVersionMatch'
  return [
    ...(sendsInitialEvents !== undefined && match !== 'NotOlderThan'
      ? [forbidden(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')]
      : []),
    ...(match !== '' && sendsInitialEvents === undefined
      ? [forbidden(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')]
      : []),
    ...(match !== '' && match !== 'NotOlderThan' ? [notSupported(field, match, ['NotOlderThan'])] : []),
    ...(match !== '' && continueToken !== ''
      ? [forbidden(field, 'resourceVersionMatch is forbidden when continue is provided')]
      : []),
  ]
}
