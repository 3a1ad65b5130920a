import { describe, expect, it } from 'vitest'
import { BuiltInDataLoader } from '../../../src/apiserver/built-in/built-in-data-loader.ts'
import { type BuiltInKind, decodeBuiltIn } from '../../../src/apiserver/built-in/codec.ts'
import { groupKindRules } from '../../../src/apiserver/built-in/group-kinds.ts'
import {
  autoscalerVersions,
  horizontalPodAutoscalerV1Rules,
} from '../../../src/apiserver/built-in/horizontal-pod-autoscaler-v1.ts'
import type { KindRules } from '../../../src/apiserver/built-in/kind-rules.ts'
import { podPrintTable } from '../../../src/apiserver/built-in/pod-print-table.ts'
import { StatusError } from '../../../src/apiserver/status-error.ts'
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../src/base/json.ts'
import { answeredErrors, oracleRuns, shownErrors } from '../../oracles/field-errors.ts'
import { ask } from '../../oracles/oracle.ts'
import type { OracleAnswer } from '../../oracles/program.ts'
import { type GroupKindCase, groupKindCases } from './group-kind-cases.ts'
import { Dice, mutated, type Path } from './object-mutations.ts'

interface Question {
  readonly operation: 'default' | 'create' | 'update' | 'status'
  readonly object: JsonObject
  readonly old?: JsonObject
}

const data = new BuiltInDataLoader()
const rulesByKind: Record<string, KindRules> = {
  ...Object.fromEntries(groupKindRules.map(([apiVersion, kind, rules]) => [`${apiVersion} ${kind}`, rules])),
  'autoscaling/v1 HorizontalPodAutoscaler': horizontalPodAutoscalerV1Rules(autoscalerVersions(data)),
}
const context = { timestamp: '2026-01-01T00:00:00Z' }

describe('the kinds of the other groups', () => {
  it.each(groupKindCases)(
    'takes, refuses and prepares a $kind of $apiVersion as the control plane does',
    async (kindCase) => {
      const rules = rulesByKind[`${kindCase.apiVersion} ${kindCase.kind}`]
      if (rules === undefined) throw new Error(`no rules for ${kindCase.kind}`)
      const [group = '', version = ''] = kindCase.apiVersion.split('/')
      const kind = data.kind({ group, version, kind: kindCase.kind })
      if (kind === undefined) throw new Error(`no kind ${kindCase.kind}`)
      const accepted = await acceptedObjects(kindCase)
      const questions = questionsOf(kindCase, accepted)
      const answers = await ask('builtin-kinds', questions as unknown as readonly Json[])
      const differing = questions.flatMap((question, index) => {
        const answer = answers[index]
        if (isKnownDeviation(question, answer)) return []
        const ours = outcome({ rules, kind }, question)
        const theirs = shownAnswer(answer ?? {}, question)
        return JSON.stringify(ours) === JSON.stringify(theirs)
          ? []
          : [JSON.stringify({ ...difference(ours, theirs), question }, null, 1)]
      })
      expect(differing.slice(0, 3), `${differing.length} of ${questions.length} differ`).toEqual([])
    },
  )
})

it('prints the internal types of pods like the control plane', async () => {
  const [answer] = await ask('printed-types', [null])
  const table = podPrintTable
    .trim()
    .replace(/\n {2}/g, ' ')
    .split('\n')
  expect(table).toEqual(answer?.value)
})

/** Returns the differing lines, for readable failures. */
function difference(ours: Outcome, theirs: Outcome): JsonObject {
  const without = (texts: readonly string[], others: readonly string[]): Json => {
    const left = [...others]
    return texts.filter((text) => {
      const at = left.indexOf(text)
      if (at >= 0) left.splice(at, 1)
      return at < 0
    })
  }
  const left = [...ours.errors, ...ours.warnings]
  const right = [...theirs.errors, ...theirs.warnings]
  return {
    onlyOurs: without(left, right),
    onlyTheirs: without(right, left),
    ...(left.length + right.length > 0 ? {} : { object: changesBetween(ours.object, theirs.object) }),
  }
}

function changesBetween(ours: Json, theirs: Json): Json {
  if (JSON.stringify(ours) === JSON.stringify(theirs)) return 'equal'
  if (!isJsonObject(ours) || !isJsonObject(theirs)) return { ours, theirs }
  const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)])
  return Object.fromEntries(
    [...keys]
      .filter((key) => JSON.stringify(ours[key]) !== JSON.stringify(theirs[key]))
      .map((key) => [key, changesBetween(ours[key] ?? null, theirs[key] ?? null)]),
  )
}

interface Outcome {
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
  readonly object: Json
}

/** Normalizes empty lists and maps, which equal absent ones after decoding; the real server prints the input. */
function withoutEmpty(error: string): string {
  return error.replaceAll(/": ?(\[\]|\{\})/g, '":null').replaceAll(/ (\[\]|\{\}):/g, ' null:')
}

/** Listed in deviations.yaml. */
function isKnownDeviation({ object }: Question, answer: OracleAnswer | undefined): boolean {
  const isPanic = answer?.error?.startsWith('panic') ?? false
  return isPanic || /"policies":\[\]|"labels":\{\}/.test(JSON.stringify(object))
}

interface Known {
  readonly rules: KindRules
  readonly kind: BuiltInKind
}

const refused: Outcome = { errors: ['the body cannot be read'], warnings: [], object: null }

function outcome(known: Known, question: Question): Outcome {
  try {
    return decoded(known, question)
  } catch (thrown) {
    if (thrown instanceof StatusError) return refused
    throw thrown
  }
}

function decoded({ rules, kind }: Known, { operation, object, old }: Question): Outcome {
  // The oracle does not store its answers.
  const read = (body: JsonObject): JsonObject => decodeBuiltIn({ ...kind, isKeptAsProto: false }, body).object
  const defaulted = read(rules.setDefaults(read(object)))
  if (operation === 'default') return { errors: [], warnings: [], object: defaulted }
  if (operation === 'create') {
    const prepared = read(rules.prepareForCreate(defaulted, context))
    const errors = shownErrors(rules.validateCreate(prepared)).map(withoutEmpty)
    if (errors.length > 0) return { errors, warnings: [], object: null }
    return { errors, warnings: rules.warningsOnCreate(prepared), object: prepared }
  }
  const before = read(rules.setDefaults(read(old ?? {})))
  const steps = operation === 'status' ? rules.status : rules
  if (steps === undefined) throw new Error('no status endpoint')
  const prepared = read(
    withSystemMetadata(steps.prepareForUpdate(withGenerationOf(defaulted, before), before, context), before),
  )
  const errors = shownErrors(steps.validateUpdate(prepared, before)).map(withoutEmpty)
  if (errors.length > 0) return { errors, warnings: [], object: null }
  return { errors, warnings: steps.warningsOnUpdate(prepared, before), object: prepared }
}

/** Sets the generation as the handler does before a strategy's steps, like the oracle. */
function withGenerationOf(object: JsonObject, old: JsonObject): JsonObject {
  return { ...object, metadata: { ...meta(object), generation: meta(old)['generation'] ?? 0 } }
}

function withSystemMetadata(object: JsonObject, old: JsonObject): JsonObject {
  const kept = Object.fromEntries(
    ['uid', 'creationTimestamp'].flatMap((key) => {
      const value = key === 'uid' ? (meta(object)[key] ?? meta(old)[key]) : (meta(old)[key] ?? meta(object)[key])
      return value === undefined ? [] : [[key, value]]
    }),
  )
  return { ...object, metadata: { ...meta(object), ...kept } }
}

function meta(object: JsonObject): JsonObject {
  const metadata = object['metadata']
  return isJsonObject(metadata) ? metadata : {}
}

function shownAnswer({ value = null, error }: OracleAnswer, { operation }: Question): Outcome {
  if (error !== undefined) return refused
  if (operation === 'default') return { errors: [], warnings: [], object: value }
  if (!isJsonObject(value)) throw new Error(`no answer: ${JSON.stringify(value)}`)
  const warnings = isJsonList(value['warnings']) ? value['warnings'].map(String) : []
  return { errors: answeredErrors(value['errors']).map(withoutEmpty), warnings, object: value['object'] ?? null }
}

/** Returns the bases as stored, the old objects of updates. */
async function acceptedObjects({ bases, apiVersion, kind }: GroupKindCase): Promise<JsonObject[]> {
  const questions = bases.map((base): JsonObject => ({ operation: 'create', object: { apiVersion, kind, ...base } }))
  const answers = await ask('builtin-kinds', questions)
  return answers.map(({ value, error }) => {
    const object = isJsonObject(value) ? value['object'] : undefined
    if (!isJsonObject(object)) throw new Error(`${kind} is no base: ${error ?? JSON.stringify(value)}`)
    return { ...object, metadata: { ...meta(object), resourceVersion: '7' } }
  })
}

function questionsOf(kindCase: GroupKindCase, accepted: readonly JsonObject[]): Question[] {
  const { apiVersion, kind, bases, words, isOpen, statuses } = kindCase
  const dice = new Dice(5)
  const isMutable = (path: Path): boolean => path[0] !== 'apiVersion' && path[0] !== 'kind' && isOpen(path)
  const roll = (object: JsonObject): JsonObject => {
    let value: JsonObject = object
    for (let count = 1 + dice.below(3); count > 0; count--) {
      const next = mutated(value, dice, isMutable, words)
      if (isJsonObject(next)) value = next
    }
    return value
  }
  const questions: Question[] = []
  for (let count = oracleRuns(200); count > 0; count--) {
    const base = { apiVersion, kind, ...dice.pick(bases) }
    questions.push({ operation: 'default', object: roll(base) }, { operation: 'create', object: roll(base) })
    const old = dice.pick(accepted)
    questions.push({ operation: 'update', object: roll(old), old })
    if (statuses.length === 0) continue
    const before = { ...old, status: dice.pick(statuses) }
    const next = { ...old, status: dice.pick(statuses) }
    questions.push({ operation: 'status', object: roll(next), old: before })
  }
  return questions
}
