// Prepares a checkout: installs packages if node_modules does not match the lock file, builds if a source is newer than
// dist/. A few file stats decide both, so that a ready checkout costs well under a second. Runs on any Node that npm
// runs on; everything after it runs on the `node` dev dependency.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = ['src', 'constructs', 'imports', 'examples', 'tsconfig.json', 'package-lock.json', '.ci/bundle.ts']

ensure(
  'node_modules/.konverge-installed',
  digestOf(['package.json', 'package-lock.json'], contentOf),
  'installing packages',
  () => run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']),
)
ensure('dist/.konverge-built', digestOf(sources, statOf), 'building', () => {
  const node = join(root, 'node_modules/.bin/node')
  run(node, [join(root, 'node_modules/typescript/bin/tsc'), '-b'])
  run(node, [join(root, '.ci/bundle.ts')])
})

/** Does `work` unless the marker file has this digest. */
function ensure(mark, digest, title, work) {
  const path = join(root, mark)
  if (existsSync(path) && readFileSync(path, 'utf8') === digest) return
  process.stderr.write(`konverge: ${title} …\n`)
  work()
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, digest)
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status === 0) return
  process.stderr.write(
    `konverge: ${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}; mend what it printed above and run again\n`,
  )
  process.exit(1)
}

function digestOf(paths, describe) {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(describe(join(root, path)))
  return hash.digest('hex')
}

function contentOf(path) {
  return readFileSync(path)
}

/** Returns size and time of a file, or of every file below a folder. */
function statOf(path) {
  if (!existsSync(path)) return `${path} absent\n`
  const stat = statSync(path)
  if (!stat.isDirectory()) return `${path} ${stat.size} ${stat.mtimeMs}\n`
  return readdirSync(path)
    .sort()
    .map((name) => statOf(join(path, name)))
    .join('')
}
