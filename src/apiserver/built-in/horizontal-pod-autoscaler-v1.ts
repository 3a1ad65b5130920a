// Kind HorizontalPodAutoscaler of autoscaling/v1. It is stored as v2, and every step is that of v2: a write is
// converted to v2,
// validated and converted back. Source: k8s.io/kubernetes/pkg/apis/autoscaling/v1/defaults.go.
import { assert } from '../../base/assert.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ServedResource, Steps } from '../strategy.ts'
import { AutoscalerVersions } from './autoscaler-versions.ts'
import type { BuiltInDataLoader } from './built-in-data-loader.ts'
import type { BuiltInKind } from './codec.ts'
import { withDefaults, withEmbedded } from './field-walk.ts'
import { horizontalPodAutoscalerRules as stored } from './horizontal-pod-autoscaler.ts'
import type { KindRules } from './kind-rules.ts'
import { servedKind } from './served-kind.ts'

const name = { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' }

export function horizontalPodAutoscalerV1(data: BuiltInDataLoader): ServedResource {
  const versions = autoscalerVersions(data)
  return {
    ...servedKind(data, { name, rules: horizontalPodAutoscalerV1Rules(versions) }),
    toStored: (object) => asV2(versions, object),
    fromStored: (object) => asV1(versions, object),
  }
}

export function autoscalerVersions(data: BuiltInDataLoader): AutoscalerVersions {
  const kindIn = (version: string): BuiltInKind => {
    const kind = data.kind({ ...name, version })
    assert(kind !== undefined, 'both versions are built in')
    return kind
  }
  return new AutoscalerVersions(kindIn('v1'), kindIn('v2'))
}

export function horizontalPodAutoscalerV1Rules(versions: AutoscalerVersions): KindRules {
  const v2 = (object: JsonObject) => asV2(versions, object)
  const v1 = (object: JsonObject) => asV1(versions, object)
  const steps = (of: Steps): Steps => ({
    ...of,
    prepareForUpdate: (object, old, context) => v1(of.prepareForUpdate(v2(object), v2(old), context)),
    validateUpdate: (object, old) => of.validateUpdate(v2(object), v2(old)),
    warningsOnUpdate: (object, old) => of.warningsOnUpdate(v2(object), v2(old)),
  })
  return {
    ...stored,
    ...steps(stored),
    // The conversion adds its own default: a target if there are no metrics.
    setDefaults: (object) => v1(v2(withEmbedded(object, 'spec', (spec) => withDefaults(spec, { minReplicas: 1 })))),
    prepareForCreate: (object, context) => v1(stored.prepareForCreate(v2(object), context)),
    validateCreate: (object) => stored.validateCreate(v2(object)),
    warningsOnCreate: (object) => stored.warningsOnCreate(v2(object)),
    status: stored.status && steps(stored.status),
  }
}

function asV2(versions: AutoscalerVersions, object: JsonObject): JsonObject {
  return { kind: name.kind, ...versions.toV2(object), apiVersion: 'autoscaling/v2' }
}

function asV1(versions: AutoscalerVersions, object: JsonObject): JsonObject {
  return { kind: name.kind, ...versions.toV1(object), apiVersion: 'autoscaling/v1' }
}
