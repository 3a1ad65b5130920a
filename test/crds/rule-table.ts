// Does a server keep to the rules of a definition? A table of what it takes and what it refuses, with the sentence of every rule: one
// that no row speaks of fails the table. It plays on every server.
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Ask } from './asking.ts'

/** An object that is refused: what it is, its name and spec, the field that is named and the sentence that is said. */
export type Refused = readonly [what: string, name: string, spec: object, field: string, sentence: string]

/** A change of an object that exists, as a merge patch of its spec. */
export type Change = readonly [what: string, name: string, spec: object]

export interface RuleTable {
  readonly kind: string
  readonly plural: string
  /** Names of files in examples/. */
  readonly samples: readonly string[]
  readonly accepted: readonly Change[]
  readonly refused: readonly Refused[]
  /** Objects that exist, by name. */
  readonly existing: Readonly<Record<string, object>>
  readonly acceptedChanges: readonly Change[]
  readonly refusedChanges: readonly Refused[]
}

export const groupPath = '/apis/data.konverge.dev/v1alpha1/namespaces/default'

/** An object of a kind of ours, as people write it. */
export function writerOf(kind: string): (name: string, spec: object) => object {
  return (name, spec) => ({
    apiVersion: 'data.konverge.dev/v1alpha1',
    kind,
    metadata: { name, namespace: 'default' },
    spec,
  })
}

export function describeRules(table: RuleTable, ask: Ask): void {
  const { kind, plural, existing } = table
  const path = `${groupPath}/${plural}`
  const objectOf = writerOf(kind)

  it('says in the table what every rule says', async () => {
    const { object } = await ask(
      'GET',
      `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.data.konverge.dev`,
    )
    const told = new Set([...table.refused, ...table.refusedChanges].map(([, , , , sentence]) => sentence))
    const rules = [...new Set(sentencesIn(object.spec.versions))]
    expect(rules.length).toBeGreaterThan(0)
    expect(rules.filter((sentence) => !told.has(sentence))).toEqual([])
  })

  it.each(table.samples)('takes the sample %s, and drops none of its fields', async (file) => {
    const { metadata, spec } = parse(await readFile(`examples/${file}.yaml`, 'utf8'))
    const url = `${path}?dryRun=All&fieldValidation=Strict`
    const { status, object, message } = await ask('POST', url, objectOf(metadata.name, spec))
    expect(message).toBe('')
    expect(status).toBe(201)
    expect(object.spec).toMatchObject(spec)
  })

  it.each(table.accepted)('takes %s', async (_what, name, spec) => {
    const { status, message } = await ask('POST', `${path}?dryRun=All&fieldValidation=Strict`, objectOf(name, spec))
    expect(message).toBe('')
    expect(status).toBe(201)
  })

  it.each(table.refused)('refuses %s, and says why', async (_what, name, spec, field, sentence) => {
    const answer = await ask('POST', `${path}?dryRun=All&fieldValidation=Strict`, objectOf(name, spec))
    expect(answer.status).toBe(422)
    expect(answer.sentences).toContainEqual(expect.stringMatching(endOf(field, sentence)))
  })

  describe('of one that exists', () => {
    beforeAll(async () => {
      for (const [name, spec] of Object.entries(existing)) {
        const { message } = await ask('POST', path, objectOf(name, spec))
        expect(message).toBe('')
      }
    })

    it.each(table.acceptedChanges)('takes %s', async (_what, name, spec) => {
      const { status, message } = await ask('PATCH', `${path}/${name}?dryRun=All&fieldValidation=Strict`, { spec })
      expect(message).toBe('')
      expect(status).toBe(200)
    })

    it.each(table.refusedChanges)('refuses %s, and says why', async (_what, name, spec, field, sentence) => {
      const answer = await ask('PATCH', `${path}/${name}?dryRun=All&fieldValidation=Strict`, { spec })
      expect(answer.status).toBe(422)
      expect(answer.sentences).toContainEqual(expect.stringMatching(endOf(field, sentence)))
    })
  })
}

/** `spec.size: Forbidden: can only grow`: the field, a word of the server, our sentence and nothing after it. */
function endOf(field: string, sentence: string): RegExp {
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal(field)}: (.*: )?${literal(sentence)}$`, 's')
}

function sentencesIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) =>
    key === 'x-kubernetes-validations' && Array.isArray(value)
      ? value.map(({ message }: { readonly message?: unknown }) => String(message))
      : sentencesIn(value),
  )
}
