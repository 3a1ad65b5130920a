import { describe, expect, it } from 'vitest'
import { BuiltInDataLoader } from '../../../src/apiserver/built-in/built-in-data-loader.ts'
import { coreResources } from '../../../src/apiserver/built-in/core-kinds.ts'
import { StatusError } from '../../../src/apiserver/status-error.ts'
import type { Strategy } from '../../../src/apiserver/strategy.ts'
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../src/base/json.ts'
import { wireJson } from '../../../src/base/wire-json.ts'
import { answeredErrors, oracleRuns, shownErrors } from '../../oracles/field-errors.ts'
import { ask } from '../../oracles/oracle.ts'
import { type CoreKindCase, coreKindCases } from './core-kind-cases.ts'
import { Dice, mutated } from './object-mutations.ts'

interface Question {
  readonly operation: 'default' | 'create' | 'update' | 'status'
  readonly object: JsonObject
  readonly old?: JsonObject
}

interface Outcome {
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
  /** The object as text, in the order of its fields. */
  readonly object: string
}

const strategies = new Map(
  coreResources(new BuiltInDataLoader()).map(({ group, version, kind, strategy }) => [
    `${group === '' ? version : `${group}/${version}`} ${kind}`,
    strategy,
  ]),
)
/** The fixed time of the oracle's clock. */
const context = { timestamp: '2023-11-14T22:13:20Z' }
/** Messages that end with a diff, which only the real server prints. */
const pictures = [
  'pod updates may not change fields other than',
  'spec is immutable after creation except',
  'spec.persistentvolumesource is immutable after creation',
]

describe('the core kinds', () => {
  it.each(coreKindCases)(
    'takes, refuses and prepares a $kind of $apiVersion as the control plane does',
    async (one) => {
      const strategy = strategies.get(`${one.apiVersion} ${one.kind}`)
      if (strategy === undefined) throw new Error(`no strategy for ${one.kind}`)
      const questions = questionsOf(one, await storedBases(one))
      const answers = await ask('builtin-kinds', questions as unknown as readonly Json[]) // Plain objects all of them.
      const unserved: Question[] = []
      const differing = questions.flatMap((question, index) => {
        const answer = answers[index]
        if (answer?.error !== undefined) return [] // Undecodable bodies are tested with the codec.
        if (isKnownDeviation(question)) return []
        const ours = outcome(strategy, question)
        if (ours === undefined) {
          unserved.push(question)
          return []
        }
        const theirs = answered(answer?.value ?? null, question, strategy)
        return wireJson(ours as unknown as Json) === wireJson(theirs as unknown as Json)
          ? []
          : [{ ...difference(ours, theirs), question: wireJson(question as unknown as Json) }]
      })
      expect(differing.slice(0, 3), `${differing.length} of ${questions.length} differ`).toEqual([])
      expect(unserved.length, 'what is not served is rare').toBeLessThan(questions.length / 20)
    },
  )
})

/** See empty-maps in deviations.yaml. */
function isKnownDeviation({ operation, object }: Question): boolean {
  return operation === 'update' && /"(requests|data|binaryData)":\{\}/.test(wireJson(object))
}

/** Returns the differing lines, for readable failures. */
function difference(ours: Outcome, theirs: Outcome): JsonObject {
  const shown = ({ errors, warnings, object }: Outcome) => [...errors, ...warnings, ...leaves(object)]
  const [left, right] = [shown(ours), shown(theirs)]
  return {
    ours: left.filter((text) => !right.includes(text)),
    theirs: right.filter((text) => !left.includes(text)),
  }
}

/** Returns every value of an object with its path, in order. */
function leaves(text: string): readonly string[] {
  const walk = (value: Json | undefined, path: string): readonly string[] => {
    const entries = isJsonList(value) || isJsonObject(value) ? Object.entries(value) : []
    return entries.length === 0
      ? [`${path} = ${wireJson(value ?? null)}`]
      : [`${path}: ${entries.map(([key]) => key)}`, ...entries.flatMap(([key, item]) => walk(item, `${path}.${key}`))]
  }
  return text === '' ? [] : walk(JSON.parse(text) as Json, '')
}

function outcome(strategy: Strategy, question: Question): Outcome | undefined {
  try {
    return taken(strategy, question)
  } catch (thrown) {
    if (thrown instanceof StatusError && thrown.parts.code === 501) return undefined
    throw thrown
  }
}

function taken(strategy: Strategy, { operation, object, old }: Question): Outcome {
  const { object: decoded } = strategy.decode(object)
  if (operation === 'default') return { errors: [], warnings: [], object: wireJson(decoded) }
  if (operation === 'create') {
    const prepared = strategy.prepareForCreate(decoded, context)
    const errors = shownErrors(strategy.validateCreate(prepared)).map(withoutPicture)
    if (errors.length > 0) return { errors, warnings: [], object: '' }
    return { errors, warnings: [...strategy.warningsOnCreate(prepared)].sort(), object: wireJson(prepared) }
  }
  const before = strategy.decode(old ?? {}).object
  const steps = operation === 'status' ? strategy.status : strategy
  if (steps === undefined) throw new Error('no status endpoint')
  const kept = steps.prepareForUpdate(
    withMetadata(decoded, { generation: meta(before)['generation'] }),
    before,
    context,
  )
  const prepared = strategy.decode(withSystemMetadata(kept, before)).object
  const errors = shownErrors(steps.validateUpdate(prepared, before)).map(withoutPicture)
  if (errors.length > 0) return { errors, warnings: [], object: '' }
  return { errors, warnings: [...steps.warningsOnUpdate(prepared, before)].sort(), object: wireJson(prepared) }
}

function withSystemMetadata(object: JsonObject, old: JsonObject): JsonObject {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = meta(old)
  return withMetadata(object, {
    uid: meta(object)['uid'] ?? uid,
    creationTimestamp: creationTimestamp ?? meta(object)['creationTimestamp'],
    deletionTimestamp: deletionTimestamp ?? meta(object)['deletionTimestamp'],
    deletionGracePeriodSeconds: meta(object)['deletionGracePeriodSeconds'] ?? deletionGracePeriodSeconds,
  })
}

function withMetadata(object: JsonObject, changes: JsonObject): JsonObject {
  const merged = Object.entries({ ...meta(object), ...changes }).filter(([, value]) => value !== undefined)
  return { ...object, metadata: Object.fromEntries(merged) }
}

function meta(object: JsonObject): JsonObject {
  const metadata = object['metadata']
  return isJsonObject(metadata) ? metadata : {}
}

function answered(answer: Json, { operation }: Question, strategy: Strategy): Outcome {
  if (operation === 'default') return { errors: [], warnings: [], object: asRead(answer, strategy) }
  if (!isJsonObject(answer)) throw new Error(`no answer: ${wireJson(answer)}`)
  const warnings = isJsonList(answer['warnings']) ? answer['warnings'].map(String).sort() : []
  const object = answer['object']
  return {
    errors: answeredErrors(answer['errors']).map(withoutPicture),
    warnings,
    object: object === undefined ? '' : asRead(object, strategy),
  }
}

/** Returns the object as the control plane reads it from its store: with defaults, and without empty lists. */
function asRead(object: Json, strategy: Strategy): string {
  if (!isJsonObject(object)) throw new Error(`no object: ${wireJson(object)}`)
  const read = wireJson(strategy.decode(object).object)
  // A time that a test cannot set.
  return read.replace(/(?<="lastTransitionTime":")[^"]+(?=","reason":"SchedulingGated")/, context.timestamp)
}

function withoutPicture(error: string): string {
  const drawn = pictures.some((sentence) => error.includes(sentence)) ? (error.split('\n')[0] ?? '') : error
  // A stored empty list or map is absent; only the real server still distinguishes them here.
  return drawn.replace(/(?<=(Invalid|Unsupported) value: )(\[\]|\{\})(?=:)/, 'null')
}

/** Returns the bases as stored, the old objects of updates. */
async function storedBases({ bases, apiVersion, kind }: CoreKindCase): Promise<JsonObject[]> {
  const questions = bases.map((base): JsonObject => ({ operation: 'create', object: { apiVersion, kind, ...base } }))
  const answers = await ask('builtin-kinds', questions)
  return answers.map(({ value, error }) => {
    const object = isJsonObject(value) ? value['object'] : undefined
    if (!isJsonObject(object)) throw new Error(`${kind} is no base: ${error ?? wireJson(value ?? null)}`)
    return withMetadata(object, { resourceVersion: '7' })
  })
}

function questionsOf({ apiVersion, kind, bases, words, statuses, runs }: CoreKindCase, stored: readonly JsonObject[]) {
  const dice = new Dice(7)
  const roll = (object: JsonObject, status: boolean): JsonObject => {
    let value = object
    for (let count = dice.below(4); count > 0; count--) {
      const isOpen = (path: readonly (string | number)[]) =>
        path[0] !== 'apiVersion' &&
        path[0] !== 'kind' &&
        path.length > (path[0] === 'spec' || path[0] === 'metadata' || path[0] === 'status' ? 1 : 0) &&
        (!status || path[0] === 'status' || path[0] === 'metadata')
      const next = mutated(value, dice, isOpen, words)
      if (isJsonObject(next)) value = next
    }
    return value
  }
  const questions: Question[] = []
  for (let count = oracleRuns(runs); count > 0; count--) {
    const base = { apiVersion, kind, ...dice.pick(bases) }
    questions.push(
      { operation: 'default', object: roll(base, false) },
      { operation: 'create', object: roll(base, false) },
    )
    const status = (): JsonObject => (statuses.length === 0 ? {} : { status: dice.pick(statuses) })
    const old = { ...dice.pick(stored), ...status() }
    const next = dice.below(3) === 0 ? { ...dice.pick(stored), ...status() } : old
    questions.push({ operation: 'update', object: roll(next, false), old })
    if (statuses.length === 0) continue
    questions.push({ operation: 'status', object: roll({ ...old, ...status() }, true), old })
  }
  return questions
}
