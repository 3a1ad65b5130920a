// Writes the generated pages of docs/reference/: `npm run reference`.
import { mkdirSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { pageAt, pagePaths, root } from './pages.ts'

mkdirSync(new URL('docs/reference/', root), { recursive: true })
for (const path of pagePaths) {
  writeFileSync(new URL(path, root), pageAt(path))
  process.stdout.write(`${path}\n`)
}
