// Tables of configuration, storage, access and nodes in `kubectl get`.
// Source: kubernetes/pkg/printers/internalversion/printers.go.
import type { JsonObject } from '../../../base/json.ts'
import {
  integerAt,
  isTrueAt,
  mapAt,
  optionalTextAt,
  type Struct,
  structAt,
  structsAt,
  textAt,
  textsAt,
  valueAt,
} from '../field-walk.ts'
import type { Cell, Cells } from './cell.ts'
import { age, annotation, name, slashed } from './common-cells.ts'
import { shownAge } from './shown-time.ts'

const configMap: Cells = (object, nowMs) => {
  const count = Object.keys(mapAt(object, 'data')).length + Object.keys(mapAt(object, 'binaryData')).length
  return [name(object), count, age(object, nowMs)]
}

const secret: Cells = (object, nowMs) => [
  name(object),
  textAt(object, 'type'),
  Object.keys(mapAt(object, 'data')).length,
  age(object, nowMs),
]

const serviceAccount: Cells = (object, nowMs) => [name(object), age(object, nowMs)]

const namespace: Cells = (object, nowMs) => [
  name(object),
  textAt(structAt(object, 'status'), 'phase'),
  age(object, nowMs),
]

const accessModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

function shownModes(struct: Struct): string {
  const modes = textsAt(struct, 'accessModes')
  return Object.entries(accessModes)
    .flatMap(([mode, short]) => (modes.includes(mode) ? [short] : []))
    .join(',')
}

function phase(object: JsonObject): string {
  const isDeleted = valueAt(structAt(object, 'metadata'), 'deletionTimestamp') !== undefined
  return isDeleted ? 'Terminating' : textAt(structAt(object, 'status'), 'phase')
}

function storageClassOf(object: JsonObject): string {
  return (
    annotation(object, 'volume.beta.kubernetes.io/storage-class') ??
    textAt(structAt(object, 'spec'), 'storageClassName')
  )
}

function storage(amounts: JsonObject): string {
  return textAt(amounts, 'storage') || '0'
}

const persistentVolume: Cells = (object, nowMs) => {
  const spec = structAt(object, 'spec')
  const claim = structAt(spec, 'claimRef')
  return [
    name(object),
    storage(mapAt(spec, 'capacity')),
    shownModes(spec),
    textAt(spec, 'persistentVolumeReclaimPolicy'),
    phase(object),
    claim === undefined ? '' : slashed(textAt(claim, 'namespace'), textAt(claim, 'name')),
    storageClassOf(object),
    optionalTextAt(spec, 'volumeAttributesClassName') ?? '<unset>',
    textAt(structAt(object, 'status'), 'reason'),
    age(object, nowMs),
    optionalTextAt(spec, 'volumeMode') ?? '<unset>',
  ]
}

const persistentVolumeClaim: Cells = (object, nowMs) => {
  const spec = structAt(object, 'spec')
  const status = structAt(object, 'status')
  const volume = textAt(spec, 'volumeName')
  return [
    name(object),
    phase(object),
    volume,
    volume === '' ? '' : storage(mapAt(status, 'capacity')),
    volume === '' ? '' : shownModes(status),
    storageClassOf(object),
    optionalTextAt(spec, 'volumeAttributesClassName') ?? '<unset>',
    age(object, nowMs),
    optionalTextAt(spec, 'volumeMode') ?? '<unset>',
  ]
}

const storageClass: Cells = (object, nowMs) => {
  const isDefault = [
    'storageclass.kubernetes.io/is-default-class',
    'storageclass.beta.kubernetes.io/is-default-class',
  ].some((key) => annotation(object, key) === 'true')
  return [
    isDefault ? `${name(object)} (default)` : name(object),
    textAt(object, 'provisioner'),
    optionalTextAt(object, 'reclaimPolicy') ?? 'Delete',
    optionalTextAt(object, 'volumeBindingMode') ?? 'Immediate',
    isTrueAt(object, 'allowVolumeExpansion'),
    age(object, nowMs),
  ]
}

const rolePrefix = 'node-role.kubernetes.io/'

const node: Cells = (object, nowMs) => {
  const status = structAt(object, 'status')
  const info = structAt(status, 'nodeInfo')
  const known = (key: string) => textAt(info, key) || '<unknown>'
  const architecture = textAt(info, 'architecture')
  return [
    name(object),
    nodeStatus(object),
    nodeRoles(object).join(',') || '<none>',
    age(object, nowMs),
    textAt(info, 'kubeletVersion'),
    addressOf(status, 'InternalIP'),
    addressOf(status, 'ExternalIP'),
    known('osImage'),
    architecture === '' ? known('kernelVersion') : `${known('kernelVersion')} (${architecture})`,
    known('containerRuntimeVersion'),
  ]
}

function nodeStatus(node: JsonObject): string {
  const conditions = structsAt(structAt(node, 'status'), 'conditions')
  const ready = conditions.findLast((condition) => textAt(condition, 'type') === 'Ready')
  const status = ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady'
  return isTrueAt(structAt(node, 'spec'), 'unschedulable') ? `${status},SchedulingDisabled` : status
}

function nodeRoles(node: JsonObject): string[] {
  const labels = mapAt(structAt(node, 'metadata'), 'labels')
  const roles = Object.keys(labels).flatMap((key) => {
    if (key.startsWith(rolePrefix)) return key === rolePrefix ? [] : [key.slice(rolePrefix.length)]
    const role = key === 'kubernetes.io/role' ? textAt(labels, key) : ''
    return role === '' ? [] : [role]
  })
  return [...new Set(roles)].sort()
}

function addressOf(status: Struct, type: string): string {
  const address = structsAt(status, 'addresses').find((one) => textAt(one, 'type') === type)
  return address === undefined ? '<none>' : textAt(address, 'address')
}

const event: Cells = (object, nowMs) => {
  const first = shownAge(valueAt(object, 'firstTimestamp') ?? valueAt(object, 'eventTime'), nowMs)
  const series = structAt(object, 'series')
  const last = valueAt(object, 'lastTimestamp')
  const involved = structAt(object, 'involvedObject')
  const kind = textAt(involved, 'kind').toLowerCase()
  const target = textAt(involved, 'name')
  return [
    series !== undefined
      ? shownAge(valueAt(series, 'lastObservedTime'), nowMs)
      : last === undefined
        ? first
        : shownAge(last, nowMs),
    textAt(object, 'type'),
    textAt(object, 'reason'),
    target === '' ? kind : slashed(kind, target),
    textAt(involved, 'fieldPath'),
    eventSource(object),
    textAt(object, 'message').trim(),
    first,
    series === undefined ? integerAt(object, 'count') || 1 : integerAt(series, 'count'),
    name(object),
  ]
}

function eventSource(event: JsonObject): string {
  const source = structAt(event, 'source')
  const component = textAt(source, 'component') || textAt(event, 'reportingComponent')
  const instance = textAt(source, 'host') || textAt(event, 'reportingInstance')
  return instance === '' ? component : `${component}, ${instance}`
}

const binding: Cells = (object, nowMs) => {
  const role = structAt(object, 'roleRef')
  const subjects = structsAt(object, 'subjects')
  const named = (kind: string, shown: (subject: JsonObject) => string): Cell =>
    subjects
      .filter((subject) => textAt(subject, 'kind') === kind)
      .map(shown)
      .join(', ')
  return [
    name(object),
    slashed(textAt(role, 'kind'), textAt(role, 'name')),
    age(object, nowMs),
    named('User', (subject) => textAt(subject, 'name')),
    named('Group', (subject) => textAt(subject, 'name')),
    named('ServiceAccount', (subject) => slashed(textAt(subject, 'namespace'), textAt(subject, 'name'))),
  ]
}

const lease: Cells = (object, nowMs) => [
  name(object),
  textAt(structAt(object, 'spec'), 'holderIdentity'),
  age(object, nowMs),
]

const priorityClass: Cells = (object, nowMs) => [
  name(object),
  integerAt(object, 'value'),
  isTrueAt(object, 'globalDefault'),
  age(object, nowMs),
  textAt(object, 'preemptionPolicy'),
]

const runtimeClass: Cells = (object, nowMs) => [name(object), textAt(object, 'handler'), age(object, nowMs)]

/** Kinds without their own table show the creation time instead of the age. */
const plain: Cells = (object) => [
  name(object),
  textAt(structAt(object, 'metadata'), 'creationTimestamp') || '0001-01-01T00:00:00Z',
]

export const coreCells: Readonly<Record<string, Cells>> = {
  ClusterRole: plain,
  ClusterRoleBinding: binding,
  ConfigMap: configMap,
  CustomResourceDefinition: plain,
  Event: event,
  Lease: lease,
  Namespace: namespace,
  Node: node,
  PersistentVolume: persistentVolume,
  PersistentVolumeClaim: persistentVolumeClaim,
  PriorityClass: priorityClass,
  Role: plain,
  RoleBinding: binding,
  RuntimeClass: runtimeClass,
  Secret: secret,
  ServiceAccount: serviceAccount,
  StorageClass: storageClass,
}
