// Generated pages of docs/reference/, by path. `npm run reference` writes them, and a test compares them.
import { readFileSync } from 'node:fs'
import { commandLinePage } from './command-line-page.ts'
import { crdPage } from './crd-page.ts'
import { metricsPage } from './metrics-page.ts'

export const root = new URL('../../', import.meta.url)

const kinds = [
  {
    name: 'backup',
    guides:
      'Guides: [Backups](../backups.md), [Restores](../restores.md). Sample: [backup.yaml](../../examples/backup.yaml).',
  },
  {
    name: 'database',
    guides:
      'Guides: [Databases](../database.md), [Amazon RDS](../database-rds.md), [Restores](../restores.md), [Upgrades](../upgrades.md). Sample: [database.yaml](../../examples/database.yaml).',
  },
  {
    name: 'database-user',
    guides:
      'Guide: [Database users](../database-users.md). Sample: [database-user.yaml](../../examples/database-user.yaml).',
  },
  {
    name: 'migration',
    guides: 'Guide: [Migrations](../migrations.md). Sample: [migration.yaml](../../examples/migration.yaml).',
  },
  { name: 'replicated-kv-store', guides: 'Sample: [kv-store.yaml](../../examples/kv-store.yaml).' },
] as const

const kindPages = kinds.map(({ name, guides }): [string, () => string] => {
  const source = `crds/${name}.yaml`
  return [`docs/reference/${name}.md`, () => crdPage({ text: read(source), source, guides })]
})
const generators: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(kindPages),
  'docs/reference/command-line.md': commandLinePage,
  'docs/reference/metrics.md': () => metricsPage(),
}

/** Paths of the pages. */
export const pagePaths: readonly string[] = Object.keys(generators)

/** Returns the text of a page, generated from the current code. */
export function pageAt(path: string): string {
  const generator = generators[path]
  if (generator === undefined) throw new Error(`no generator writes ${path}`)
  return generator()
}

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8')
}
