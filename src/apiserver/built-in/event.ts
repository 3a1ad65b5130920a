// Kind Event. core/v1 and events.k8s.io/v1 serve the same objects under different field names; events.k8s.io/v1 is
// stricter.
// Sources: k8s.io/kubernetes/pkg/apis/core/validation/events.go, pkg/registry/core/event,
// pkg/apis/events/v1/conversion.go.
import { deepEqual, type Json, type JsonObject, own } from '../../base/json.ts'
import { type FieldError, invalid, required } from '../field-error.ts'
import { byteLength, dns1123Subdomain, dnsSubdomainName, labelKeyFaults } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { validateCoreMetadata, validateCoreMetadataUpdate } from './core-metadata.ts'
import { type FieldErrors, integerAt, mapAt, noErrors, type Struct, structAt, textAt, valueAt } from './field-walk.ts'
import { type KindRules, usualRules } from './kind-rules.ts'

/** Field names of events.k8s.io/v1, with those of core/v1, the stored form. */
const coreNames: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
  reportingController: 'reportingComponent',
}
const newNames = Object.fromEntries(Object.entries(coreNames).map(([name, core]) => [core, name]))
const referenceFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']
const usual = { ...usualRules, createsOnUpdate: true }

/** Rules of core/v1. */
export const eventRules: KindRules = {
  ...usual,
  validateCreate: (event) => plainErrors(event, 'reportingComponent'),
  validateUpdate: (event) => plainErrors(event, 'reportingComponent'),
  selectableFields: (event) => {
    const object = structAt(event, 'involvedObject')
    const reporter = textAt(event, 'reportingComponent')
    return {
      ...Object.fromEntries(referenceFields.map((key) => [`involvedObject.${key}`, textAt(object, key)])),
      reason: textAt(event, 'reason'),
      reportingComponent: reporter,
      source: textAt(structAt(event, 'source'), 'component') || reporter,
      type: textAt(event, 'type'),
    }
  },
}

/** Rules of events.k8s.io/v1. */
export const newEventRules: KindRules = {
  ...usual,
  validateCreate: (event) => {
    const stored = toCoreEvent(event)
    return [...plainErrors(stored, 'reportingController'), ...strictErrors(stored)]
  },
  validateUpdate: (event, old) => {
    const [stored, before] = [toCoreEvent(event), toCoreEvent(old)]
    return [...plainErrors(stored, 'reportingController'), ...changeErrors(stored, before)]
  },
  selectableFields: (event) => {
    const object = structAt(event, 'regarding')
    return {
      ...Object.fromEntries(referenceFields.map((key) => [`regarding.${key}`, textAt(object, key)])),
      reason: textAt(event, 'reason'),
      reportingController: textAt(event, 'reportingController'),
      type: textAt(event, 'type'),
    }
  },
}

/** Converts events.k8s.io/v1 to core/v1. */
export function toCoreEvent(event: JsonObject): JsonObject {
  return renamed(event, coreNames)
}

/** Converts core/v1 to events.k8s.io/v1. */
export function toNewEvent(event: JsonObject): JsonObject {
  return renamed(event, newNames)
}

function renamed(event: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(event).map(([key, value]) => [Object.hasOwn(names, key) ? (names[key] ?? key) : key, value]),
  )
}

function plainErrors(event: JsonObject, reporter: string): FieldErrors {
  const namespace = textAt(mapAt(event, 'metadata'), 'namespace')
  return [
    ...(textAt(event, 'eventTime') === '' ? oldErrors(event, namespace) : datedErrors(event, namespace, reporter)),
    ...invalids('namespace', namespace, dns1123Subdomain(namespace)),
  ]
}

/** An Event without eventTime follows the old rules: its namespace must be that of its object. */
function oldErrors(event: JsonObject, namespace: string): FieldErrors {
  const of = textAt(structAt(event, 'involvedObject'), 'namespace')
  const isRight = of === '' ? namespace === '' || namespace === 'default' : of === namespace
  return isRight ? noErrors : [misplaced(of)]
}

function datedErrors(event: JsonObject, namespace: string, reporterField: string): FieldErrors {
  const of = textAt(structAt(event, 'involvedObject'), 'namespace')
  const reporter = textAt(event, 'reportingComponent')
  const isRight = of !== '' || namespace === 'default' || namespace === 'kube-system'
  return [
    ...(isRight ? [] : [misplaced(of)]),
    ...(reporter === '' ? [required(reporterField)] : []),
    ...invalids(reporterField, reporter, labelKeyFaults(reporter)),
    ...lengthErrors(event, 'reportingInstance', 128),
    ...lengthErrors(event, 'action', 128),
    ...lengthErrors(event, 'reason', 128),
    ...(byteLength(textAt(event, 'message')) > 1024
      ? [invalid('message', '', 'can have at most 1024 characters')]
      : []),
  ]
}

function misplaced(namespace: string): FieldError {
  return invalid('involvedObject.namespace', namespace, 'does not match event.namespace')
}

function lengthErrors(event: JsonObject, key: string, max: number): readonly FieldError[] {
  const text = textAt(event, key)
  if (text === '') return [required(key)]
  return byteLength(text) > max ? [invalid(key, '', `can have at most ${max} characters`)] : noErrors
}

function strictErrors(event: JsonObject): FieldErrors {
  const type = textAt(event, 'type')
  const source = structAt(event, 'source')
  const isGiven: Readonly<Record<string, boolean>> = {
    firstTimestamp: textAt(event, 'firstTimestamp') !== '',
    lastTimestamp: textAt(event, 'lastTimestamp') !== '',
    count: integerAt(event, 'count') !== 0,
    source: textAt(source, 'component') !== '' || textAt(source, 'host') !== '',
  }
  return [
    ...validateCoreMetadata(mapAt(event, 'metadata'), { isNamespaced: true, validateName: dnsSubdomainName }),
    ...seriesErrors(structAt(event, 'series')),
    ...(textAt(event, 'eventTime') === '' ? [required('eventTime')] : []),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalid('type', '', `has invalid value: ${type}`)]),
    ...Object.keys(isGiven)
      .filter((key) => isGiven[key])
      .map((key) => invalid(key, '', 'needs to be unset')),
  ]
}

function seriesErrors(series: Struct): readonly FieldError[] {
  if (series === undefined) return noErrors
  return [
    ...(integerAt(series, 'count') < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(textAt(series, 'lastObservedTime') === '' ? [required('series.lastObservedTime')] : []),
  ]
}

/** Only the series of an Event may change. */
function changeErrors(event: JsonObject, old: JsonObject): FieldErrors {
  const isSameSeries = deepEqual(valueAt(event, 'series') ?? null, valueAt(old, 'series') ?? null)
  return [
    ...validateCoreMetadataUpdate(mapAt(event, 'metadata'), mapAt(old, 'metadata')),
    ...(isSameSeries ? [] : seriesErrors(structAt(event, 'series'))),
    ...frozenFields.flatMap(([key, shown]) => {
      const field = key === 'reportingComponent' ? 'reportingController' : key
      const value = shown(own(event, key))
      return deepEqual(value, shown(own(old, key))) ? [] : [invalid(field, value, 'field is immutable')]
    }),
  ]
}

type Show = (value: Json | undefined) => Json

const asText: Show = (value) => value ?? ''
const asTime: Show = (value) => value ?? null
/** References and sources in the internal form, which error messages show. */
const asReference: Show = (value) => capitalized(value, referenceFields)
const asSource: Show = (value) => capitalized(value, ['component', 'host'])

/** In the server's order; it checks the reason twice. */
const frozenFields: readonly (readonly [string, Show])[] = [
  ['involvedObject', asReference],
  ['reason', asText],
  ['message', asText],
  ['source', asSource],
  ['firstTimestamp', asTime],
  ['lastTimestamp', asTime],
  ['count', (value) => value ?? 0],
  ['reason', asText],
  ['type', asText],
  ['eventTime', asTime],
  ['action', asText],
  ['related', (value) => (value === undefined || value === null ? null : asReference(value))],
  ['reportingComponent', asText],
  ['reportingInstance', asText],
]

function capitalized(value: Json | undefined, keys: readonly string[]): Json {
  const struct = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
  return Object.fromEntries(keys.map((key) => [goName(key), textAt(struct, key)]))
}

function goName(key: string): string {
  const special: Readonly<Record<string, string>> = { uid: 'UID', apiVersion: 'APIVersion' }
  return special[key] ?? key.charAt(0).toUpperCase() + key.slice(1)
}
