import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { generate } from '../../src/generate/generate-runner.ts'
import { schemaFaults } from '../crds/schema-faults.ts'
import { compileErrors, makePackage } from './compile.ts'
import { crdOfKind } from './crds.ts'
import { objectOf, type Sample, samples } from './random-schema.ts'

const limitMs = 240_000

/** Number of batches; set it to search for rare failures. */
const batches = Number(process.env['KONVERGE_RANDOM_BATCHES'] ?? 1)

const definitionOf = (kind: string, { schema }: Sample): JsonObject => {
  const spec = { type: 'object', required: ['value'], properties: { value: schema } }
  return crdOfKind(kind, { spec })
}
const objectWith = (kind: string, value: Json): JsonObject => ({
  apiVersion: 'example.dev/v1',
  kind,
  metadata: { name: 'a' },
  spec: { value },
})
const kindOf = (index: number) => `Random${index}`

describe('a random structural schema', () => {
  it('has types that compile, accept what fits and reject what does not', { timeout: limitMs * batches }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(samples(4), { minLength: 40, maxLength: 40 }), async (batch) => {
        await inFolder(async (folder) => {
          await generateAll(folder, batch)
          await writeFile(join(folder, 'use.ts'), uses(batch).join('\n'))
          expect(await compileErrors(folder)).toEqual([])
        })
      }),
      // One run takes seconds, and a smaller batch does not isolate the failure.
      { numRuns: batches, endOnFailure: true },
    )
  })

  it('validates as declared: what fits is accepted, and what does not is named', { timeout: limitMs * batches }, () => {
    fc.assert(
      fc.property(samples(4), (sample) => {
        const definition = definitionOf('Random', sample)
        expect(schemaFaults(definition, objectWith('Random', sample.valid))).toEqual([])
        if (sample.invalid === undefined) return
        const { value, path } = sample.invalid
        const faults = schemaFaults(definition, objectWith('Random', value))
        expect(faults.filter((fault) => fault.startsWith(`spec.value${path}: `))).not.toEqual([])
      }),
      { numRuns: 200 * batches },
    )
  })
})

describe('a schema of a megabyte', () => {
  it('is generated, and an object is validated against it', { timeout: limitMs }, async () => {
    const batch = fc.sample(objectOf(objectOf(objectOf(samples(3)))), { seed: 4, numRuns: 150 })
    const giant: Sample = {
      schema: {
        type: 'object',
        properties: Object.fromEntries(batch.map(({ schema }, index) => [`f${index}`, schema])),
      },
      valid: Object.fromEntries(batch.map(({ valid }, index) => [`f${index}`, valid])),
    }
    expect(JSON.stringify(giant.schema).length).toBeGreaterThan(1_000_000)
    await inFolder(async (folder) => {
      await generateAll(folder, [giant])
      const wireFolder = join(folder, 'imports', 'wire')
      expect((await stat(join(wireFolder, 'random0.ts'))).size).toBeGreaterThan(1_000_000)
      // The constructs are generated too; to compile three megabytes of them takes longer than the rest of this file.
      expect(await compileErrors(wireFolder)).toEqual([])
    })
    expect(schemaFaults(definitionOf('Random0', giant), objectWith('Random0', giant.valid))).toEqual([])
  })
})

async function generateAll(folder: string, batch: readonly Sample[]): Promise<void> {
  const crdFolder = join(folder, 'crds')
  await mkdir(crdFolder)
  const documents = batch.map((sample, index) => JSON.stringify(definitionOf(kindOf(index), sample)))
  await writeFile(join(crdFolder, 'all.yaml'), documents.join('\n---\n'))
  const options = { crdFolder, outFolder: join(folder, 'imports'), mode: 'write' } as const
  await generate(options, AbortSignal.timeout(limitMs))
  await makePackage(folder)
}

function uses(batch: readonly Sample[]): string[] {
  return batch.flatMap(({ valid, invalid }, index) => {
    const type = `${kindOf(index)}SpecInput`
    const refused = [
      '// @ts-expect-error does not fit',
      `export const invalid${index}: ${type}['value'] = ${literalOf(invalid?.value ?? null)}`,
    ]
    return [
      `import type { ${type} } from './imports/index.ts'`,
      `export const valid${index}: ${type}['value'] = ${literalOf(valid)}`,
      ...(invalid === undefined ? [] : refused),
    ]
  })
}

/**
 * One line for TypeScript too, which breaks lines at two more characters than JSON; a directive applies to the next
 * line.
 */
function literalOf(value: Json): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-random-'))
  try {
    await act(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
