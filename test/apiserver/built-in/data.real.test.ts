import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { attachToControlPlane } from '../../control-plane/attach.ts'
import { bootstrapText, documents, wholeDocument } from '../../control-plane/built-in-data.ts'

const folder = join(import.meta.dirname, '../../../src/apiserver/built-in/data')

it.each(documents)('keeps $path as the real server serves it', async ({ file, path }) => {
  const { text } = await attachToControlPlane().request({ method: 'GET', path })
  expect(brotliDecompressSync(readFileSync(join(folder, file))).toString('utf8') === text).toBe(true)
})

it('keeps what the real server publishes of its own kinds in one document', async () => {
  const { path, forms } = wholeDocument
  const { text } = await attachToControlPlane().request({ method: 'GET', path, accept: forms[0].accept })
  const kept = brotliDecompressSync(readFileSync(join(folder, forms[0].file))).toString('utf8')
  expect(JSON.parse(text)).toMatchObject(JSON.parse(kept)) // Other tests add kinds of theirs.
})

it('keeps the objects that the real server makes for itself', async () => {
  const get = async (path: string) => (await attachToControlPlane().request({ method: 'GET', path })).text
  const kept = brotliDecompressSync(readFileSync(join(folder, 'bootstrap.json.br'))).toString('utf8')
  expect(withoutGathered(kept)).toEqual(withoutGathered(await bootstrapText(get)))
})

/** What some roles gather grows with the roles that other tests make. */
function withoutGathered(text: string): readonly object[] {
  const objects = JSON.parse(text) as readonly { readonly rules?: unknown; readonly aggregationRule?: unknown }[] // Roles and others.
  return objects.map(({ rules, ...rest }) => ('aggregationRule' in rest ? rest : { rules, ...rest }))
}
