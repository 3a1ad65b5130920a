import { expect, it } from 'vitest'
import { BuiltInDataLoader } from '../../../src/apiserver/built-in/built-in-data-loader.ts'
import { keptKinds } from '../../../src/apiserver/built-in/catalogue.ts'
import { type BuiltInKind, DecodeError, decodeBuiltIn } from '../../../src/apiserver/built-in/codec.ts'
import type { GoType } from '../../../src/apiserver/built-in/go-type.ts'
import { applyStrategicMergePatch } from '../../../src/apiserver/patch/strategic-merge.ts'
import { StatusError } from '../../../src/apiserver/status-error.ts'
import { canonicalJson, isJsonList, isJsonObject, type Json, type JsonObject } from '../../../src/base/json.ts'
import { parseWireJson, wireJson } from '../../../src/base/wire-json.ts'
import { ask } from '../../oracles/oracle.ts'
import { RandomObjects, seededNumbers } from '../built-in/random-object.ts'

const runs = Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)
const casesPerKind = 100
const loader = new BuiltInDataLoader()

/** Random patches: parts of an object and of another one, some removed, some reordered, sometimes a directive. */
class RandomPatches {
  readonly #random: RandomObjects

  constructor(random: RandomObjects) {
    this.#random = random
  }

  patch(type: GoType, original: Json | undefined): Json {
    const inner = type.form === 'pointer' ? type.to : type
    if (inner.form === 'struct') return this.#struct(inner, isJsonObject(original) ? original : {})
    if (inner.form === 'list') return this.#list(inner.items, isJsonList(original) ? original : [])
    return this.#random.value(inner, 3)
  }

  #struct(type: Extract<GoType, { form: 'struct' }>, original: JsonObject): JsonObject {
    const patch: [string, Json][] = []
    for (const field of type.fields.values()) {
      const isThere = Object.hasOwn(original, field.name)
      if (!this.#random.chance(isThere ? 60 : 4)) continue
      const old = original[field.name]
      patch.push([field.name, this.#random.chance(7) ? null : this.patch(field.type, old)])
      if (field.type.form === 'list' && this.#random.chance(30)) patch.push(...this.#listDirectives(field, old, patch))
    }
    if (this.#random.chance(2)) patch.push(['$patch', this.#random.pick<Json>(['replace', 'delete', 'merge', 1])])
    if (this.#random.chance(4))
      patch.push(['$retainKeys', this.#random.chance(10) ? 'x' : [...Object.keys(Object.fromEntries(patch)), 'name']])
    return Object.fromEntries(this.#random.chance(30) ? patch.toReversed() : patch)
  }

  #listDirectives(
    { name, patchMergeKey }: { readonly name: string; readonly patchMergeKey: string },
    old: Json | undefined,
    patch: readonly [string, Json][],
  ): [string, Json][] {
    const items = [...(isJsonList(old) ? old : []), ...lastList(patch)]
    if (patchMergeKey === '' && this.#random.chance(50))
      return [[`$deleteFromPrimitiveList${this.#random.chance(4) ? '' : `/${name}`}`, this.#some(items)]]
    const keys = items.map((item) =>
      isJsonObject(item) && this.#random.chance(99) ? { [patchMergeKey]: item[patchMergeKey] ?? 'a' } : item,
    )
    const order = this.#random.chance(30) ? this.#some(keys) : lastListKeys(keys, this.#random)
    return [[`$setElementOrder/${name}`, this.#random.chance(3) ? 'x' : order]]
  }

  #list(items: GoType, original: readonly Json[]): readonly Json[] {
    const changed = this.#some(original).map((item) => {
      if (!isJsonObject(item)) return item
      if (this.#random.chance(15))
        return { ...item, $patch: this.#random.pick<Json>(['delete', 'delete', 'replace', 'x', null]) }
      const patch = this.patch(items, item)
      // Fields that may be keys mostly stay.
      const scalars = Object.entries(item).filter(([, value]) => typeof value !== 'object')
      return isJsonObject(patch) && this.#random.chance(95) ? { ...patch, ...Object.fromEntries(scalars) } : patch
    })
    const added = this.#random.chance(40) ? [this.#random.value(items, 3)] : []
    return this.#random.chance(50) ? [...changed, ...added] : [...added, ...changed.toReversed()]
  }

  #some(items: readonly Json[]): readonly Json[] {
    return items.filter(() => this.#random.chance(70))
  }
}

function lastList(patch: readonly [string, Json][]): readonly Json[] {
  const last = patch.at(-1)?.[1]
  return isJsonList(last) ? last : []
}

function lastListKeys(keys: readonly Json[], random: RandomObjects): readonly Json[] {
  return random.chance(50) ? keys : keys.toReversed()
}

function original(kind: BuiltInKind, random: RandomObjects): JsonObject {
  for (;;) {
    try {
      return decodeBuiltIn(kind, random.value(kind.type) as JsonObject).object // A struct is generated as an object.
    } catch (thrown) {
      if (!(thrown instanceof DecodeError)) throw thrown
    }
  }
}

function outcome(merge: () => JsonObject): string {
  try {
    return canonicalJson(merge())
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown
    return `error: ${thrown.parts.code === 422 ? 'lists of lists are not supported' : thrown.message}`
  }
}

function canonical(text: string): string {
  return text.startsWith('{') ? canonicalJson(parseWireJson(text).value) : text
}

it('patches built-in kinds like the control plane', async () => {
  const questions = keptKinds.flatMap((entry, index) => {
    const kind = loader.kind(entry)
    if (kind === undefined) throw new Error(`no type for ${entry.kind}`)
    const random = new RandomObjects({
      next: seededNumbers(index + 100),
      faultPercent: 0.3,
      emptyPercent: 2,
      isWellFormed: true,
    })
    const patches = new RandomPatches(random)
    return Array.from({ length: casesPerKind * runs }, () => {
      const live = original(kind, random)
      return { kind, live, patch: patches.patch(kind.type, live) as JsonObject } // As above.
    })
  })
  const outcomes = await outcomesOf(questions)
  const differing = questions.flatMap((question, index) => {
    const ours = outcome(() => applyStrategicMergePatch(question.live, question.patch, question.kind.type))
    const theirs = outcomes[index] ?? []
    // This server rejects a patch at which Go panics.
    const isPanic = ours.startsWith('error: ') && theirs.some((text) => text.startsWith('panic: '))
    return isPanic || theirs.includes(ours) ? [] : [{ question, ours, theirs }]
  })
  // The oracle reports a random one of several errors; enough repetitions yield each.
  const rare = await outcomesOf(differing.flatMap(({ question }) => Array.from({ length: 60 }, () => question)))
  const left = differing.filter(
    ({ ours }, index) =>
      !rare
        .slice(index * 60, index * 60 + 60)
        .flat()
        .includes(ours),
  )
  expect(
    left
      .slice(0, 3)
      .map(({ question: { live, patch }, ...rest }) => ({ live: wireJson(live), patch: wireJson(patch), ...rest })),
  ).toEqual([])
})

interface Question {
  readonly kind: BuiltInKind
  readonly live: JsonObject
  readonly patch: JsonObject
}

async function outcomesOf(questions: readonly Question[]): Promise<readonly (readonly string[])[]> {
  const answers = await ask(
    'strategic-patch',
    questions.map(({ kind: { group, version, kind }, live, patch }) => ({
      kind: { group, version, kind },
      original: live,
      patch,
    })),
  )
  return answers.map(({ value }) => ((value ?? []) as readonly string[]).map(canonical)) // The oracle's own form.
}
