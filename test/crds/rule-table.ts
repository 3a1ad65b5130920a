// Table of the rules of a CRD: accepted objects, and rejected ones with their messages. Invariant: every rule has a
// row. It runs on every server.
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Ask } from './asking.ts'

/** A rejected object: description, name, spec, field and message. */
export type Refused = readonly [what: string, name: string, spec: object, field: string, sentence: string]

/** A change of an existing object, as a merge patch of its spec. */
export type Change = readonly [what: string, name: string, spec: object]

export interface RuleTable {
  readonly kind: string
  readonly plural: string
  /** Names of files in examples/. */
  readonly samples: readonly string[]
  readonly accepted: readonly Change[]
  readonly refused: readonly Refused[]
  /** Existing objects, by name. */
  readonly existing: Readonly<Record<string, object>>
  readonly acceptedChanges: readonly Change[]
  readonly refusedChanges: readonly Refused[]
}

export const groupPath = '/apis/data.konverge.dev/v1alpha1/namespaces/default'

/** Returns a function that writes an object of this kind as a user would. */
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

  it('has a row for every rule', async () => {
    const { object } = await ask(
      'GET',
      `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.data.konverge.dev`,
    )
    const told = new Set([...table.refused, ...table.refusedChanges].map(([, , , , sentence]) => sentence))
    const rules = [...new Set(sentencesIn(object.spec.versions))]
    expect(rules.length).toBeGreaterThan(0)
    expect(rules.filter((sentence) => !told.has(sentence))).toEqual([])
  })

  it.each(table.samples)('accepts the sample %s, and drops none of its fields', async (file) => {
    const { metadata, spec } = parse(await readFile(`examples/${file}.yaml`, 'utf8'))
    const url = `${path}?dryRun=All&fieldValidation=Strict`
    const { status, object, message } = await ask('POST', url, objectOf(metadata.name, spec))
    expect(message).toBe('')
    expect(status).toBe(201)
    expect(object.spec).toMatchObject(spec)
  })

  it.each(table.accepted)('accepts %s', async (_what, name, spec) => {
    const { status, message } = await ask('POST', `${path}?dryRun=All&fieldValidation=Strict`, objectOf(name, spec))
    expect(message).toBe('')
    expect(status).toBe(201)
  })

  it.each(table.refused)('rejects %s with its message', async (_what, name, spec, field, sentence) => {
    const answer = await ask('POST', `${path}?dryRun=All&fieldValidation=Strict`, objectOf(name, spec))
    expect(answer.status).toBe(422)
    expect(answer.sentences).toContainEqual(expect.stringMatching(endOf(field, sentence)))
  })

  describe('for an existing object', () => {
    beforeAll(async () => {
      for (const [name, spec] of Object.entries(existing)) {
        const { message } = await ask('POST', path, objectOf(name, spec))
        expect(message).toBe('')
      }
    })

    it.each(table.acceptedChanges)('accepts %s', async (_what, name, spec) => {
      const { status, message } = await ask('PATCH', `${path}/${name}?dryRun=All&fieldValidation=Strict`, { spec })
      expect(message).toBe('')
      expect(status).toBe(200)
    })

    it.each(table.refusedChanges)('rejects %s with its message', async (_what, name, spec, field, sentence) => {
      const answer = await ask('PATCH', `${path}/${name}?dryRun=All&fieldValidation=Strict`, { spec })
      expect(answer.status).toBe(422)
      expect(answer.sentences).toContainEqual(expect.stringMatching(endOf(field, sentence)))
    })
  })
}

/** Matches `spec.size: Forbidden: can only grow`: the field, the server's reason, and exactly this message. */
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
