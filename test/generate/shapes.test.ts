import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Chart } from 'cdk8s'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { generate } from '../../src/generate/generate-runner.ts'
import { schemaFaults } from '../crds/schema-faults.ts'
import { compileErrors, makePackage } from './compile.ts'
import { crdOfKind } from './crds.ts'
import { protoField, type ShapeExample, shapes } from './shapes.ts'

const limitMs = 120_000
let folder = ''

/** Generates, compiles and loads all kinds once: startup takes the time, not the kinds. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'konverge-shapes-'))
  await mkdir(join(folder, 'crds'))
  for (const { kind, spec } of shapes) {
    await writeFile(join(folder, 'crds', `${kind}.yaml`), JSON.stringify(crdOfKind(kind, { spec, status: spec })))
  }
  const signal = AbortSignal.timeout(limitMs)
  await generate({ crdFolder: join(folder, 'crds'), outFolder: join(folder, 'imports'), mode: 'write' }, signal)
  await makePackage(folder)
  await writeFile(join(folder, 'use.ts'), [...uses(), ...constructs()].join('\n'))
}, limitMs)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The types must accept every valid spec and reject every invalid one. */
function* uses(): Generator<string> {
  for (const { kind, valid, invalid = [], isValueOnly = false } of shapes) {
    yield `import type { ${kind}Spec, ${kind}SpecInput } from './imports/index.ts'`
    yield `export const valid${kind}: ${kind}SpecInput = ${literalOf(valid)}`
    yield `export const read${kind} = (spec: ${kind}Spec): ${kind}SpecInput => spec`
    for (const [index, [spec]] of isValueOnly ? [] : invalid.entries()) {
      yield '// @ts-expect-error does not fit'
      yield `export const invalid${kind}${index}: ${kind}SpecInput = ${literalOf(spec)}`
    }
  }
}

function* constructs(): Generator<string> {
  yield "import type { Construct } from 'constructs'"
  yield "import * as imported from './imports/example.dev.ts'"
  yield 'export const makers: Record<string, (scope: Construct) => { toJson(): unknown }> = {'
  for (const { kind, valid, construct = literalOf(valid) } of shapes) {
    yield `  ${kind}: (scope) => new imported.${kind}(scope, '${kind}', { metadata: { name: 'a' }, spec: ${construct} }),`
  }
  yield '}'
}

const literalOf = (value: Json): string => JSON.stringify(value)
const objectOf = (kind: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'example.dev/v1',
  kind,
  metadata: { name: 'a' },
  spec,
})

describe('definitions with realistic shapes', () => {
  it('all generated code compiles, accepts what fits and rejects what does not', {
    timeout: limitMs,
  }, async () => {
    expect(await compileErrors(folder)).toEqual([])
  })

  it('constructs render the input, under the names of the wire', { timeout: limitMs }, async () => {
    const makers = await loadMakers()
    for (const { kind, valid } of shapes) {
      const made = makers[kind]?.(new Chart(new App(), 'chart')).toJson()
      expect(made, kind).toEqual(objectOf(kind, valid))
    }
  })
})

describe.each([...shapes, protoField])(
  'an object of shape $kind',
  ({ kind, spec, valid, invalid = [] }: ShapeExample) => {
    const definition = crdOfKind(kind, { spec })

    it('fits', () => {
      expect(schemaFaults(definition, objectOf(kind, valid))).toEqual([])
    })

    it.each(invalid)('%j does not', (wrong, field) => {
      expect(schemaFaults(definition, objectOf(kind, wrong)).join()).toContain(field)
    })
  },
)

type Makers = Readonly<Record<string, (scope: Chart) => { toJson(): unknown }>>

/** Compiled explicitly: Node strips types, but `cdk8s import` writes enums, which need compilation. */
async function loadMakers(): Promise<Makers> {
  for (const name of ['imports/example.dev', 'use']) {
    const source = await readFile(join(folder, `${name}.ts`), 'utf8')
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2024, verbatimModuleSyntax: true }
    const { outputText } = ts.transpileModule(source, { compilerOptions })
    await writeFile(join(folder, `${name}.js`), outputText.replaceAll(".ts'", ".js'"))
  }
  // This test wrote the module above.
  return ((await import(/* @vite-ignore */ join(folder, 'use.js'))) as { makers: Makers }).makers
}
