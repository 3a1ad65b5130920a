// Kind Job. It selects its own pods by labels that the server generates. The pod template is immutable unless the Job
// is suspended.
// Sources: k8s.io/kubernetes/pkg/apis/batch/{v1/defaults.go,validation}, pkg/registry/batch/job/strategy.go.
import { deepEqual, isJsonObject, type JsonObject, own } from '../../base/json.ts'
import { type FieldError, invalid, required } from '../field-error.ts'
import { dns1123Label, dnsSubdomainName } from '../name-rules.ts'
import {
  type FieldErrors,
  integerAt,
  isTrueAt,
  mapAt,
  noErrors,
  optionalIntegerAt,
  type Struct,
  structAt,
  structIn,
  textAt,
  valueAt,
  withDefaults,
  withEmbedded,
  withField,
  withItems,
  withStruct,
} from './field-walk.ts'
import { failurePolicyForm, successPolicyForm } from './job-policies.ts'
import { isIndexed, jobSpecErrors } from './job-spec.ts'
import { jobStatusErrors } from './job-status.ts'
import { jobTemplateChangeErrors } from './job-template-change.ts'
import {
  asNew,
  changedMetadataErrors,
  immutableErrors,
  isGenerationChanged,
  type KindRules,
  keepStatus,
  newMetadataErrors,
  statusIsReset,
  statusSteps,
  usualRules,
} from './kind-rules.ts'
import {
  hasInvalidLabelValue,
  LabelMatcher,
  type LabelSelectorOptions,
  shownMap,
  shownSelector,
  validateLabelSelector,
} from './label-selector.ts'
import { podNameWarnings } from './replica-set.ts'
import { type Show, showOptional } from './shown-form.ts'
import { templateWarnings, unchosenLabelsErrors, withTemplateDefaults } from './workload-template.ts'

const nameLabels = ['job-name', 'batch.kubernetes.io/job-name']
const uidLabels = ['controller-uid', 'batch.kubernetes.io/controller-uid']
const maxInt32 = 2 ** 31 - 1

export const jobRules: KindRules = {
  ...usualRules,
  setDefaults,
  prepareForCreate: (object) =>
    asNew(isTrueAt(structAt(object, 'spec'), 'manualSelector') ? object : withGeneratedSelector(object), {}),
  prepareForUpdate: keepStatus,
  validateCreate: (object) => jobErrors(object, { requiresPrefixedLabels: true, selector: strictSelector }),
  validateUpdate,
  warningsOnCreate: (object) => [
    ...podNameWarnings(object),
    ...jobSpecWarnings(mapAt(object, 'spec'), 'spec', undefined),
  ],
  warningsOnUpdate: (object, old) =>
    isGenerationChanged(object, old) ? jobSpecWarnings(mapAt(object, 'spec'), 'spec', structAt(old, 'spec')) : [],
  resetFields: statusIsReset,
  status: statusSteps((object, old) => [...changedMetadataErrors(object, old), ...jobStatusErrors(object, old)]),
  selectableFields: (object) => ({
    'status.successful': String(integerAt(structAt(object, 'status'), 'succeeded')),
  }),
  // Behavior of deletes before garbage collection existed.
  defaultPropagation: 'Orphan',
  warningsOnDelete: ({ propagationPolicy, orphanDependents }) =>
    propagationPolicy === undefined && orphanDependents === undefined ? [podsStay] : [],
}

const podsStay =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set ' +
  'propagationPolicy=Orphan to suppress this warning'

interface JobOptions {
  /** A Job that was stored before these labels were generated need not have them. */
  readonly requiresPrefixedLabels: boolean
  readonly selector: LabelSelectorOptions
}

const strictSelector: LabelSelectorOptions = { allowsInvalidValues: false }

function setDefaults(object: JsonObject): JsonObject {
  return servedJob(withEmbedded(object, 'spec', specDefaults))
}

/** A Job without labels has those of its pods. Generated labels appear when the Job is read from storage. */
export function servedJob(specified: JsonObject): JsonObject {
  const templateLabels = templateLabelsOf(specified)
  if (templateLabels === undefined || Object.keys(templateLabels).length === 0) return specified
  const metadata = mapAt(specified, 'metadata')
  if (Object.keys(mapAt(metadata, 'labels')).length > 0) return specified
  return withField(specified, 'metadata', withField(metadata, 'labels', templateLabels))
}

function specDefaults(spec: JsonObject): JsonObject {
  const isCounted = valueAt(spec, 'completions') !== undefined || valueAt(spec, 'parallelism') !== undefined
  const hasIndexLimit = valueAt(spec, 'backoffLimitPerIndex') !== undefined
  const hasFailurePolicy = structAt(spec, 'podFailurePolicy') !== undefined
  return withDefaults(withJobTemplateDefaults(spec), {
    ...(isCounted ? {} : { completions: 1 }),
    parallelism: 1,
    backoffLimit: hasIndexLimit ? maxInt32 : 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: hasFailurePolicy ? 'Failed' : 'TerminatingOrFailed',
    manualSelector: false,
  })
}

/** Returns the spec with the defaults that also hold inside a CronJob. */
export function withJobTemplateDefaults(spec: JsonObject): JsonObject {
  return withStruct(withTemplateDefaults(spec), 'podFailurePolicy', (policy) =>
    withItems(policy, 'rules', (rule) =>
      withItems(rule, 'onPodConditions', (pattern) =>
        textAt(pattern, 'status') === '' ? withField(pattern, 'status', 'True') : pattern,
      ),
    ),
  )
}

/** Adds labels by name and uid to the pods, and a selector by uid. User values stay; validation checks them. */
function withGeneratedSelector(object: JsonObject): JsonObject {
  const metadata = mapAt(object, 'metadata')
  const [name, uid] = [textAt(metadata, 'name'), textAt(metadata, 'uid')]
  const generated = {
    ...Object.fromEntries(nameLabels.map((label) => [label, name])),
    ...Object.fromEntries(uidLabels.map((label) => [label, uid])),
  }
  const selected = withEmbedded(object, 'spec', (spec) => {
    const labelled = withEmbedded(spec, 'template', (template) =>
      withEmbedded(template, 'metadata', (inner) =>
        withEmbedded(inner, 'labels', (labels) => withDefaults(labels, generated)),
      ),
    )
    return withEmbedded(labelled, 'selector', (selector) =>
      withEmbedded(selector, 'matchLabels', (labels) =>
        withDefaults(labels, { 'batch.kubernetes.io/controller-uid': uid }),
      ),
    )
  })
  // Default labels are the template's own object, so additions to one appear in both.
  const isShared = valueAt(metadata, 'labels') !== undefined && valueAt(metadata, 'labels') === templateLabelsOf(object)
  return isShared
    ? withField(selected, 'metadata', withField(metadata, 'labels', templateLabelsOf(selected) ?? {}))
    : selected
}

function templateLabelsOf(object: JsonObject): Struct {
  return structAt(structIn(object, 'spec', 'template', 'metadata'), 'labels')
}

function validateUpdate(object: JsonObject, old: JsonObject): FieldErrors {
  const spec = mapAt(object, 'spec')
  const oldSpec = mapAt(old, 'spec')
  const oldLabels = mapAt(structIn(oldSpec, 'template', 'metadata'), 'labels')
  const options: JobOptions = {
    requiresPrefixedLabels:
      own(oldLabels, 'batch.kubernetes.io/job-name') !== undefined &&
      own(oldLabels, 'batch.kubernetes.io/controller-uid') !== undefined,
    selector: { allowsInvalidValues: hasInvalidLabelValue(structAt(oldSpec, 'selector')) },
  }
  const immutable = (key: string, show: Show): FieldErrors =>
    immutableErrors(valueAt(spec, key), valueAt(oldSpec, key), {
      path: `spec.${key}`,
      shown: () => show(valueAt(spec, key)),
    })
  return [
    ...jobErrors(object, options),
    ...changedMetadataErrors(object, old),
    ...fullSpecErrors(spec, options),
    ...completionsChangeErrors(spec, oldSpec),
    ...immutable('selector', (selector) => shownSelector(isJsonObject(selector) ? selector : undefined)),
    ...jobTemplateChangeErrors(object, old),
    ...immutable('completionMode', showOptional),
    ...immutable('podFailurePolicy', failurePolicyForm),
    ...immutable('backoffLimitPerIndex', showOptional),
    ...immutable('managedBy', showOptional),
    ...immutable('successPolicy', successPolicyForm),
  ]
}

function jobErrors(object: JsonObject, options: JobOptions): FieldErrors {
  const spec = mapAt(object, 'spec')
  return [
    ...newMetadataErrors(object, dnsSubdomainName),
    ...generatedSelectorErrors(object, options),
    ...fullSpecErrors(spec, options),
    ...hostnameErrors(object, spec),
  ]
}

function fullSpecErrors(spec: JsonObject, options: JobOptions): FieldErrors {
  const selector = structAt(spec, 'selector')
  const matcher = LabelMatcher.of(selector)
  return [
    ...jobSpecErrors(spec, 'spec'),
    ...(selector === undefined
      ? [required('spec.selector')]
      : validateLabelSelector(selector, 'spec.selector', options.selector)),
    ...(matcher === undefined ? noErrors : unchosenLabelsErrors(mapAt(spec, 'template'), matcher, 'spec.template')),
  ]
}

function generatedSelectorErrors(object: JsonObject, { requiresPrefixedLabels }: JobOptions): FieldErrors {
  const spec = mapAt(object, 'spec')
  const selector = structAt(spec, 'selector')
  if (isTrueAt(spec, 'manualSelector') || selector === undefined) return noErrors
  const metadata = mapAt(object, 'metadata')
  const [name, uid] = [textAt(metadata, 'name'), textAt(metadata, 'uid')]
  const count = requiresPrefixedLabels ? 2 : 1
  const generated = Object.fromEntries([
    ...uidLabels.slice(0, count).map((label): [string, string] => [label, uid]),
    ...nameLabels.slice(0, count).map((label): [string, string] => [label, name]),
  ])
  const labels = structAt(structIn(spec, 'template', 'metadata'), 'labels')
  const isGenerated = LabelMatcher.of(selector)?.matches(generated) ?? true
  return [
    ...(uid === '' ? [required('metadata.uid')] : noErrors),
    ...Object.entries(generated).flatMap(([label, value]) => labelErrors(labels, label, value)),
    ...(isGenerated ? noErrors : [invalid('spec.selector', shownSelector(selector), '`selector` not auto-generated')]),
  ]
}

function labelErrors(labels: Struct, label: string, value: string): FieldError[] {
  const found = valueAt(labels, label)
  const path = `spec.template.metadata.labels[${label}]`
  if (found === value) return []
  const detail = `must be '${value}'`
  return [found === undefined ? required(path, detail) : invalid(path, shownMap(labels), detail)]
}

/** The hostname of each pod of an indexed Job contains its index. */
function hostnameErrors(object: JsonObject, spec: JsonObject): FieldErrors {
  const completions = integerAt(spec, 'completions')
  if (!isIndexed(spec) || completions <= 0) return noErrors
  const name = textAt(structAt(object, 'metadata'), 'name')
  const last = `${name}-${completions - 1}`
  if (dns1123Label(last).length === 0) return noErrors
  return [invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${last}`)]
}

function completionsChangeErrors(spec: JsonObject, oldSpec: JsonObject): FieldErrors {
  const completions = optionalIntegerAt(spec, 'completions')
  if (deepEqual(valueAt(spec, 'completions'), valueAt(oldSpec, 'completions'))) return noErrors
  const path = 'spec.completions'
  if (!isIndexed(spec)) return [invalid(path, completions ?? null, 'field is immutable')]
  if (completions === undefined || completions === integerAt(spec, 'parallelism')) return noErrors
  return [invalid(path, completions, 'can only be modified in tandem with spec.parallelism')]
}

const manyCompletions = 100_000
const muchParallelism = 10_000

/** `oldSpec` is absent on creation. */
export function jobSpecWarnings(spec: JsonObject, path: string, oldSpec: Struct): readonly string[] {
  const isHuge =
    isIndexed(spec) &&
    integerAt(spec, 'completions') > manyCompletions &&
    integerAt(spec, 'parallelism') > muchParallelism
  return [
    ...(isHuge
      ? [
          `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
        ]
      : []),
    ...templateWarnings(spec, path, oldSpec),
  ]
}
