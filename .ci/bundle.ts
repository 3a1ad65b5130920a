// Bundles the program and the five entry points into a few files. Node takes longer to find and link 400 modules than
// the API server takes to start. Dependencies stay outside; tsc writes the types beside the bundle.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const entries = ['src/cli/main', 'src/index', 'src/cli/index', 'src/testing/index', 'constructs/index', 'imports/index']

const bundle = await rolldown({
  cwd: root,
  platform: 'node',
  input: Object.fromEntries(entries.map((entry) => [entry, `./${entry}.ts`])),
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
})
removeFormer()
await bundle.write({
  dir: dist,
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
})

/** Removes chunks of an earlier build, which would be shipped too. */
function removeFormer(): void {
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' }))
    if (/\.js(\.map)?$/.test(file)) rmSync(join(dist, file))
}
