import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { expect, inject, it } from 'vitest'
import { columnsText, typesText } from '../../control-plane/built-in-data.ts'
import type {} from '../../oracles/oracle.ts' // Declares what is provided.

function kept(file: string): string {
  const path = join(import.meta.dirname, '../../../src/apiserver/built-in/data', file)
  return brotliDecompressSync(readFileSync(path)).toString('utf8')
}

const remedy = 'run node test/control-plane/built-in-data.ts'

it('has the types of the built-in kinds as in Go', async () => {
  expect(kept('types.json.br') === (await typesText(inject('oracles'))), remedy).toBe(true)
})

it('has the table columns of the control plane', async () => {
  expect(kept('columns.json.br') === (await columnsText(inject('oracles'))), remedy).toBe(true)
})
