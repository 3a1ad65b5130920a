// Kind PersistentVolumeClaim: preparation, validation and updates.
// Sources: k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim/strategy.go,
// pkg/api/persistentvolumeclaim/util.go.
import type { JsonObject } from '../../base/json.ts'
import { claimDefaults } from './claim-defaults.ts'
import { validateClaim, validateClaimStatusUpdate, validateClaimUpdate } from './claim-validation.ts'
import { mapAt, structAt, structIn, textAt, valueAt, withField, withoutField, withStruct } from './field-walk.ts'
import { type KindRules, keepField, statusIsReset, statusSteps, usualRules } from './kind-rules.ts'
import { storageWarnings } from './pod-warnings.ts'

const betaClassAnnotation = 'volume.beta.kubernetes.io/storage-class'

export const claimRules: KindRules = {
  ...usualRules,
  setDefaults: claimDefaults,
  prepareForCreate: (claim) => withStruct(withField(claim, 'status', { phase: 'Pending' }), 'spec', newSources),
  validateCreate: validateClaim,
  warningsOnCreate: claimWarnings,
  prepareForUpdate: (claim, old) =>
    withStruct(keepField(claim, old, 'status'), 'spec', (spec) => changedSources(spec, mapAt(old, 'spec'))),
  validateUpdate: validateClaimUpdate,
  warningsOnUpdate: claimWarnings,
  resetFields: statusIsReset,
  status: statusSteps(validateClaimStatusUpdate),
  returnsDeletedObject: true,
}

/** Returns the warnings for a claim or a claim template. */
export function claimWarnings(claim: JsonObject): readonly string[] {
  const annotations = mapAt(mapAt(claim, 'metadata'), 'annotations')
  return [
    ...(Object.hasOwn(annotations, betaClassAnnotation)
      ? [
          `metadata.annotations[${betaClassAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`,
        ]
      : []),
    ...storageWarnings(structIn(claim, 'spec', 'resources'), 'spec.resources'),
  ]
}

/**
 * Drops a data source in another namespace, which is not supported yet. Silently drops a `dataSource` of a kind that
 * older servers did not know.
 */
function newSources(spec: JsonObject): JsonObject {
  const near = textAt(structAt(spec, 'dataSourceRef'), 'namespace') === '' ? spec : withoutField(spec, 'dataSourceRef')
  const isKnown = structAt(near, 'dataSourceRef') !== undefined || isClaimOrSnapshot(near)
  return sameSources(isKnown ? near : withoutField(near, 'dataSource'))
}

function changedSources(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const isInUse = valueAt(oldSpec, 'dataSource') !== undefined || valueAt(oldSpec, 'dataSourceRef') !== undefined
  return isInUse ? sameSources(spec) : newSources(spec)
}

function isClaimOrSnapshot(spec: JsonObject): boolean {
  const source = structAt(spec, 'dataSource')
  const [kind, group] = [textAt(source, 'kind'), valueAt(source, 'apiGroup')]
  return (
    (kind === 'PersistentVolumeClaim' && (group === undefined || group === '')) ||
    (kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io')
  )
}

/** Copies the data source between its two fields. */
function sameSources(spec: JsonObject): JsonObject {
  const [source, reference] = [structAt(spec, 'dataSource'), structAt(spec, 'dataSourceRef')]
  if (source !== undefined && reference === undefined) return withField(spec, 'dataSourceRef', source)
  if (source === undefined && reference !== undefined && textAt(reference, 'namespace') === '')
    return withField(spec, 'dataSource', withoutField(reference, 'namespace'))
  return spec
}
