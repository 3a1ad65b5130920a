import { expect, it } from 'vitest'
import { BuiltInDataLoader } from '../../../../src/apiserver/built-in/built-in-data-loader.ts'
import { keptKinds } from '../../../../src/apiserver/built-in/catalogue.ts'
import { type BuiltInKind, DecodeError, decodeBuiltIn } from '../../../../src/apiserver/built-in/codec.ts'
import type { Json, JsonObject } from '../../../../src/base/json.ts'
import { wireJson } from '../../../../src/base/wire-json.ts'
import { ask } from '../../../oracles/oracle.ts'
import type { OracleAnswer } from '../../../oracles/program.ts'
import { RandomObjects, seededNumbers } from '../random-object.ts'

const runs = Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)
const casesPerKind = 200
const loader = new BuiltInDataLoader()

/** Tables are built from objects in the storage version. */
const storedKinds = keptKinds.filter(({ group, version, storage }) =>
  group === 'apiextensions.k8s.io' ? true : storage.group === group && storage.version === version,
)

function decoded(kind: BuiltInKind, random: RandomObjects): JsonObject {
  for (;;) {
    try {
      return decodeBuiltIn(kind, random.value(kind.type) as JsonObject).object // A struct is generated as an object.
    } catch (thrown) {
      if (!(thrown instanceof DecodeError)) throw thrown
    }
  }
}

function keptObject(answer: OracleAnswer | undefined): JsonObject | undefined {
  return (answer?.value as { readonly object: JsonObject } | undefined)?.object // The oracle's own form.
}

it('prints tables of built-in kinds like the control plane', async () => {
  const drafts = storedKinds.flatMap(({ group, version, kind }, index) => {
    const found = loader.kind({ group, version, kind })
    if (found === undefined) throw new Error(`no type for ${kind}`)
    const random = new RandomObjects({
      next: seededNumbers(index + 200),
      faultPercent: 0,
      emptyPercent: 2,
      isWellFormed: true,
      isMeaningful: true,
    })
    return Array.from({ length: casesPerKind * runs }, () => ({
      kind: { group, version, kind },
      body: decoded(found, random),
      plain: !found.isKeptAsProto,
      hub: found.isKeptAsProto,
    }))
  })
  // A stored object has one form for equivalent inputs, and so has its table.
  const kept = await ask('built-in-codec', drafts)
  const questions = drafts.map(({ kind, body }, index) => ({ kind, object: keptObject(kept[index]) ?? body }))
  const answers = await ask('printers', questions)
  let shown = 0
  const differing = questions.flatMap(({ kind, object }, index) => {
    const { value, error } = answers[index] ?? {}
    if (value === undefined)
      return error?.startsWith('panic') ? [] : [{ kind: kind.kind, ours: '', theirs: error, object: wireJson(object) }]
    const { cells, nowMs } = value as { readonly cells: readonly Json[]; readonly nowMs: number } // The oracle's own form.
    const theirs = wireJson(cells)
    // An invalid selector is never stored.
    if (theirs.includes('"<error>"') || theirs.includes('"<invalid>"')) return []
    shown++
    const ours = wireJson([...(loader.table(kind)?.cells(object, nowMs) ?? [])])
    return ours === wireJson(cells)
      ? []
      : [{ kind: kind.kind, ours, theirs: wireJson(cells), object: wireJson(object) }]
  })
  expect(differing.slice(0, 5)).toEqual([])
  expect(shown).toBeGreaterThan(questions.length * 0.7)
})
