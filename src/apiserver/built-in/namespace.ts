// Kind Namespace: creation, updates and finalization. Sources:
// k8s.io/kubernetes/pkg/registry/core/namespace/strategy.go,
// pkg/apis/core/{v1,validation}.
import type { JsonObject } from '../../base/json.ts'
import { type FieldError, invalid } from '../field-error.ts'
import { dnsLabelName, labelKeyFaults } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { validateCoreMetadata, validateCoreMetadataUpdate } from './core-metadata.ts'
import {
  eachItem,
  type FieldErrors,
  mapAt,
  noErrors,
  textAt,
  textsAt,
  withEmbedded,
  withField,
  withZeroDefaults,
} from './field-walk.ts'
import { type KindRules, keepField, statusIsReset, statusSteps, usualRules } from './kind-rules.ts'

const nameLabel = 'kubernetes.io/metadata.name'
const ownFinalizer = 'kubernetes'
const standardFinalizers = new Set([ownFinalizer, 'orphan', 'foregroundDeletion'])

export const namespaceRules: KindRules = {
  ...usualRules,
  setDefaults: (namespace) =>
    withEmbedded(withNameLabel(namespace), 'status', (status) => withZeroDefaults(status, { phase: 'Active' })),
  prepareForCreate: (namespace) =>
    // A generated name does not exist yet when the defaults are set.
    withNameLabel(withField(withEmbedded(namespace, 'spec', withOwnFinalizer), 'status', { phase: 'Active' })),
  validateCreate,
  prepareForUpdate: (namespace, old) =>
    keepField(
      withEmbedded(namespace, 'spec', (spec) => keepField(spec, mapAt(old, 'spec'), 'finalizers')),
      old,
      'status',
    ),
  validateUpdate: (namespace, old) => [
    ...validateCreate(namespace),
    ...validateCoreMetadataUpdate(mapAt(namespace, 'metadata'), mapAt(old, 'metadata')),
  ],
  resetFields: statusIsReset,
  status: statusSteps((namespace, old) => [
    ...validateCoreMetadataUpdate(mapAt(namespace, 'metadata'), mapAt(old, 'metadata')),
    ...phaseErrors(namespace),
  ]),
  finalize: {
    prepareForUpdate: (namespace, old) => keepField(namespace, old, 'status'),
    validateUpdate: (namespace, old) => [
      ...validateCoreMetadataUpdate(mapAt(namespace, 'metadata'), mapAt(old, 'metadata')),
      ...eachItem(textsAt(mapAt(namespace, 'spec'), 'finalizers'), 'spec.finalizers', finalizerErrors),
    ],
    warningsOnUpdate: () => [],
    resetFields: statusIsReset,
  },
  selectableFields: (namespace) => ({ 'status.phase': textAt(mapAt(namespace, 'status'), 'phase') }),
  markForDeletion: (namespace, { timestamp }) =>
    withEmbedded(
      withEmbedded(namespace, 'metadata', (metadata) => withField(metadata, 'deletionTimestamp', timestamp)),
      'status',
      (status) => withField(status, 'phase', 'Terminating'),
    ),
  isHeld: (namespace) => textsAt(mapAt(namespace, 'spec'), 'finalizers').length > 0,
  returnsDeletedObject: true,
}

function validateCreate(namespace: JsonObject): FieldErrors {
  return [
    ...validateCoreMetadata(mapAt(namespace, 'metadata'), { isNamespaced: false, validateName: dnsLabelName }),
    ...textsAt(mapAt(namespace, 'spec'), 'finalizers').flatMap((finalizer) =>
      finalizerErrors(finalizer, 'spec.finalizers'),
    ),
  ]
}

function finalizerErrors(finalizer: string, field: string): FieldErrors {
  const isStandard = finalizer.includes('/') || standardFinalizers.has(finalizer)
  return [
    ...invalids(field, finalizer, labelKeyFaults(finalizer)),
    ...(isStandard
      ? []
      : [invalid(field, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')]),
  ]
}

function phaseErrors(namespace: JsonObject): readonly FieldError[] {
  const phase = textAt(mapAt(namespace, 'status'), 'phase')
  const isEnding = textAt(mapAt(namespace, 'metadata'), 'deletionTimestamp') !== ''
  const due = isEnding ? 'Terminating' : 'Active'
  const condition = isEnding ? 'is not empty' : 'is empty'
  return phase === due
    ? noErrors
    : [invalid('status.Phase', phase, `may only be '${due}' if \`deletionTimestamp\` ${condition}`)]
}

function withOwnFinalizer(spec: JsonObject): JsonObject {
  const finalizers = textsAt(spec, 'finalizers')
  return finalizers.includes(ownFinalizer) ? spec : withField(spec, 'finalizers', [...finalizers, ownFinalizer])
}

function withNameLabel(namespace: JsonObject): JsonObject {
  const name = textAt(mapAt(namespace, 'metadata'), 'name')
  if (name === '') return namespace
  return withEmbedded(namespace, 'metadata', (metadata) =>
    withEmbedded(metadata, 'labels', (labels) => withField(labels, nameLabel, name)),
  )
}
