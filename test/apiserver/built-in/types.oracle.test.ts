import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { expect, inject, it } from 'vitest'
import { typesText } from '../../control-plane/built-in-data.ts'

it('keeps the types of the built-in kinds as Go has them', async () => {
  const file = join(import.meta.dirname, '../../../src/apiserver/built-in/data/types.json.br')
  const kept = brotliDecompressSync(readFileSync(file)).toString('utf8')
  expect(kept === (await typesText(inject('oracles'))), 'run node test/control-plane/built-in-data.ts').toBe(true)
})
