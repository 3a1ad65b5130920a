// Kind DaemonSet. Its selector must match its own template. The server counts changes of the template in an annotation.
// Sources: k8s.io/kubernetes/pkg/apis/apps/{v1,validation}, pkg/registry/apps/daemonset.
import { deepEqual, type JsonObject } from '../../base/json.ts'
import { type FieldError, goQuoted, invalid, notSupported, required } from '../field-error.ts'
import { dnsSubdomainName } from '../name-rules.ts'
import { badRequest } from '../status-error.ts'
import { collisionCountErrors, nonNegatives } from './count-rules.ts'
import {
  type FieldErrors,
  mapAt,
  noErrors,
  optionalTextAt,
  type Struct,
  structAt,
  textAt,
  valueAt,
  withDefaults,
  withEmbedded,
  withField,
  withStruct,
} from './field-walk.ts'
import { above100PercentErrors, intOrPercentErrors, isZeroIntOrPercent } from './int-or-percent.ts'
import {
  asNew,
  changedMetadataErrors,
  isSpecChanged,
  type KindRules,
  keepField,
  newMetadataErrors,
  nextGenerationIf,
  statusIsReset,
  statusSteps,
  usualRules,
} from './kind-rules.ts'
import {
  hasInvalidLabelValue,
  isEmptySelector,
  LabelMatcher,
  type LabelSelectorOptions,
  shownSelector,
  validateLabelSelector,
} from './label-selector.ts'
import { immutableSelectorErrors } from './replica-set.ts'
import { showNumber, showPointer, showStruct, showText } from './shown-form.ts'
import {
  templateErrors,
  templateRestartErrors,
  templateWarnings,
  unchosenLabelsErrors,
  withTemplateDefaults,
} from './workload-template.ts'

const generationAnnotation = 'deprecated.daemonset.template.generation'

const strategyForm = showStruct({
  Type: ['type', showText],
  RollingUpdate: [
    'rollingUpdate',
    showPointer(showStruct({ MaxUnavailable: ['maxUnavailable', showNumber], MaxSurge: ['maxSurge', showNumber] })),
  ],
})

const counts = ['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady']

const statusEndpoint = statusSteps((object, old) => [
  ...changedMetadataErrors(object, old),
  ...nonNegatives(structAt(object, 'status'), 'status', [
    ...counts,
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ]),
  ...collisionCountErrors(structAt(object, 'status'), structAt(old, 'status')),
])

export const daemonSetRules: KindRules = {
  ...usualRules,
  setDefaults: (object) =>
    withTemplateGeneration(withEmbedded(object, 'spec', specDefaults), templateGenerationOf(object)),
  prepareForCreate: (object) =>
    withTemplateGeneration(
      asNew(object, Object.fromEntries(counts.map((key) => [key, 0]))),
      max(templateGenerationOf(object), 1n),
    ),
  prepareForUpdate: (object, old) => {
    const isTemplateChanged = !deepEqual(templateOf(object), templateOf(old))
    const generation = templateGenerationOf(old) + (isTemplateChanged ? 1n : 0n)
    return withTemplateGeneration(
      nextGenerationIf(isSpecChanged(object, old), keepField(object, old, 'status'), old),
      generation,
    )
  },
  validateCreate: (object) => [
    ...newMetadataErrors(object, dnsSubdomainName),
    ...specErrors(mapAt(object, 'spec'), 'spec', { allowsInvalidValues: false }),
    ...templateGenerationErrors(object),
  ],
  validateUpdate: (object, old) => [
    ...changedMetadataErrors(object, old),
    ...immutableSelectorErrors(object, old),
    ...specErrors(mapAt(object, 'spec'), 'spec', {
      allowsInvalidValues: hasInvalidLabelValue(structAt(structAt(old, 'spec'), 'selector')),
    }),
    ...templateGenerationErrors(object),
  ],
  warningsOnCreate: (object) => templateWarnings(mapAt(object, 'spec'), 'spec', undefined),
  warningsOnUpdate: (object, old) =>
    templateGenerationOf(object) === templateGenerationOf(old)
      ? []
      : templateWarnings(mapAt(object, 'spec'), 'spec', structAt(old, 'spec')),
  resetFields: statusIsReset,
  status: {
    ...statusEndpoint,
    // The template generation is part of the spec.
    prepareForUpdate: (object, old) =>
      withTemplateGeneration(keepField(object, old, 'spec'), templateGenerationOf(old)),
  },
}

function specDefaults(spec: JsonObject): JsonObject {
  const rolled = withEmbedded(withTemplateDefaults(spec), 'updateStrategy', (strategy) => {
    const typed = textAt(strategy, 'type') === '' ? withField(strategy, 'type', 'RollingUpdate') : strategy
    // Neither field is a pointer in the internal type.
    if (textAt(typed, 'type') !== 'RollingUpdate')
      return withStruct(typed, 'rollingUpdate', (rolling) => withDefaults(rolling, { maxUnavailable: 0, maxSurge: 0 }))
    return withEmbedded(typed, 'rollingUpdate', (rolling) => withDefaults(rolling, { maxUnavailable: 1, maxSurge: 0 }))
  })
  return withDefaults(rolled, { revisionHistoryLimit: 10 })
}

function templateOf(object: JsonObject): JsonObject {
  return mapAt(structAt(object, 'spec'), 'template')
}

function templateGenerationOf(object: JsonObject): bigint {
  const text = optionalTextAt(structAt(structAt(object, 'metadata'), 'annotations'), generationAnnotation)
  if (text === undefined) return 0n
  if (/^[+-]?[0-9]+$/.test(text)) return BigInt(text.replace('+', ''))
  throw badRequest(
    `DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing ${goQuoted(text)}: invalid syntax`,
  )
}

function withTemplateGeneration(object: JsonObject, generation: bigint): JsonObject {
  return withEmbedded(object, 'metadata', (metadata) =>
    withEmbedded(metadata, 'annotations', (annotations) =>
      withField(annotations, generationAnnotation, generation.toString()),
    ),
  )
}

function templateGenerationErrors(object: JsonObject): FieldErrors {
  const generation = templateGenerationOf(object)
  if (generation >= 0n) return noErrors
  return [invalid('spec.templateGeneration', generation, 'must be greater than or equal to 0')]
}

function max(left: bigint, right: bigint): bigint {
  return left > right ? left : right
}

function specErrors(spec: JsonObject, path: string, options: LabelSelectorOptions): FieldErrors {
  const selector = structAt(spec, 'selector')
  const matcher = LabelMatcher.of(selector)
  const template = mapAt(spec, 'template')
  const isEmpty = selector !== undefined && isEmptySelector(selector)
  return [
    ...validateLabelSelector(selector, `${path}.selector`, options),
    ...(matcher === undefined ? noErrors : unchosenLabelsErrors(template, matcher, `${path}.template`)),
    ...(isEmpty
      ? [invalid(`${path}.selector`, shownSelector(selector), 'empty selector is invalid for daemonset')]
      : noErrors),
    ...templateErrors(template, `${path}.template`),
    ...templateRestartErrors(spec, path, 'DaemonSet'),
    ...nonNegatives(spec, path, ['minReadySeconds']),
    ...strategyErrors(structAt(spec, 'updateStrategy'), `${path}.updateStrategy`),
    ...nonNegatives(spec, path, ['revisionHistoryLimit']),
  ]
}

function strategyErrors(strategy: Struct, path: string): FieldErrors {
  switch (textAt(strategy, 'type')) {
    case 'OnDelete':
      return noErrors
    case 'RollingUpdate': {
      const rolling = structAt(strategy, 'rollingUpdate')
      const at = `${path}.rollingUpdate`
      return rolling === undefined ? [required(at)] : rollingErrors(rolling, at)
    }
    default:
      return [notSupported(path, strategyForm(strategy), ['RollingUpdate', 'OnDelete'])]
  }
}

function rollingErrors(rolling: JsonObject, path: string): FieldErrors {
  const maxUnavailable = valueAt(rolling, 'maxUnavailable')
  const maxSurge = valueAt(rolling, 'maxSurge')
  const [unavailablePath, surgePath] = [`${path}.maxUnavailable`, `${path}.maxSurge`]
  return [
    ...intOrPercentErrors(maxUnavailable, unavailablePath),
    ...intOrPercentErrors(maxSurge, surgePath),
    ...above100PercentErrors(maxUnavailable, unavailablePath),
    ...above100PercentErrors(maxSurge, surgePath),
    ...eitherErrors(!isZeroIntOrPercent(maxUnavailable), !isZeroIntOrPercent(maxSurge), {
      surge: invalid(surgePath, maxSurge ?? 0, 'may not be set when maxUnavailable is non-zero'),
      unavailable: required(unavailablePath, 'cannot be 0 when maxSurge is 0'),
    }),
  ]
}

/** Exactly one of both must be nonzero. */
function eitherErrors(
  hasUnavailable: boolean,
  hasSurge: boolean,
  faults: { readonly surge: FieldError; readonly unavailable: FieldError },
): FieldErrors {
  if (hasUnavailable === hasSurge) return [hasSurge ? faults.surge : faults.unavailable]
  return noErrors
}
