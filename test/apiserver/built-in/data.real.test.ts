import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { attachToControlPlane } from '../../control-plane/attach.ts'
import { bootstrapText, documents, wholeDocument } from '../../control-plane/built-in-data.ts'

const folder = join(import.meta.dirname, '../../../src/apiserver/built-in/data')

it.each(documents)('has $path as the real server serves it', async ({ file, path }) => {
  const { text } = await attachToControlPlane().request({ method: 'GET', path })
  expect(brotliDecompressSync(readFileSync(join(folder, file))).toString('utf8') === text).toBe(true)
})

it('has the OpenAPI v2 document of the real server for built-in kinds', async () => {
  const { path, forms } = wholeDocument
  const { text } = await attachToControlPlane().request({ method: 'GET', path, accept: forms[0].accept })
  const kept = brotliDecompressSync(readFileSync(join(folder, forms[0].file))).toString('utf8')
  expect(JSON.parse(text)).toMatchObject(JSON.parse(kept)) // Other tests add their own kinds.
})

it('has the bootstrap objects of the real server', async () => {
  const get = async (path: string) => (await attachToControlPlane().request({ method: 'GET', path })).text
  const kept = brotliDecompressSync(readFileSync(join(folder, 'bootstrap.json.br'))).toString('utf8')
  expect(withoutGathered(kept)).toEqual(withoutGathered(await bootstrapText(get)))
})

/** Removes the rules of aggregated roles, which grow with the roles of other tests. */
function withoutGathered(text: string): readonly object[] {
  const objects = JSON.parse(text) as readonly { readonly rules?: unknown; readonly aggregationRule?: unknown }[] // Roles and others.
  return objects.map(({ rules, ...rest }) => ('aggregationRule' in rest ? rest : { rules, ...rest }))
}
