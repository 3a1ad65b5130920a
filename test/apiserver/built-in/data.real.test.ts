import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { attachToControlPlane } from '../../control-plane/attach.ts'
import { documents } from '../../control-plane/built-in-data.ts'

const folder = join(import.meta.dirname, '../../../src/apiserver/built-in/data')

it.each(documents)('keeps $path as the real server serves it', async ({ file, path }) => {
  const { text } = await attachToControlPlane().request({ method: 'GET', path })
  expect(brotliDecompressSync(readFileSync(join(folder, file))).toString('utf8') === text).toBe(true)
})
