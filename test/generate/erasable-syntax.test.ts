import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { erasableSyntax } from '../../src/generate/erasable-syntax.ts'

it('turns an enum into a constant with the same members and a type of the same name', () => {
  const written = 'export enum Mode {\n  /** a-b */\n  A_B = "a-b",\n  /** c */\n  C = "c",\n}'
  expect(erasableSyntax(written)).toBe(
    [
      'export const Mode = {',
      '  /** a-b */',
      '  A_B: "a-b",',
      '  /** c */',
      '  C: "c",',
      '} as const;',
      'export type Mode = (typeof Mode)[keyof typeof Mode];',
    ].join('\n'),
  )
})

it('turns a parameter property into a field', () => {
  const written = '  private constructor(public readonly value: number | string) {\n  }'
  expect(erasableSyntax(written)).toBe(
    [
      '  public readonly value: number | string;',
      '  private constructor(value: number | string) {',
      '    this.value = value;',
      '  }',
    ].join('\n'),
  )
})

it('leaves nothing in the generated constructs that Node cannot erase', () => {
  const file = new URL('../../imports/data.konverge.dev.ts', import.meta.url)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('as const;\nexport type ')
  const host = ts.createCompilerHost({})
  const program = ts.createProgram([file.pathname], { erasableSyntaxOnly: true, noResolve: true, noLib: true }, host)
  const source = program.getSourceFile(file.pathname)
  const found: readonly ts.Diagnostic[] = [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ]
  const notErasable = 1294
  expect(found.filter(({ code }) => code === notErasable)).toEqual([])
})
