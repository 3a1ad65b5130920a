// Test server with extensions of the test's own. PostgreSQL finds its share folder relative to its program.
// A copy of the program, with links to all other files beside it, has a writable share folder.
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { HomeVersion, PostgresHome } from './postgres-home.ts'
import type { PostgresServer } from './postgres-server.ts'

export interface TestExtension {
  readonly name: string
  readonly control: readonly string[]
  /** Script of version 1.0. */
  readonly script: string
  /** Script from 1.0 to 1.1. */
  readonly update?: string
}

/** Returns a home whose only version is that of `like`, with these extensions added. It is removed with `home`. */
export async function extendedHome(
  home: PostgresHome,
  like: PostgresServer,
  extensions: readonly TestExtension[],
): Promise<PostgresHome> {
  const places = await like.byHand('SELECT name, setting FROM pg_catalog.pg_config()')
  const place = (name: string) => String(places.find((one) => one['name'] === name)?.['setting'])
  const [bin, share, libraries] = [place('BINDIR'), place('SHAREDIR'), place('PKGLIBDIR')]
  const folder = await mkdtemp(join(home.folder, 'extended-'))
  // The server runs as another user.
  await chmod(folder, 0o755)
  // The relative paths between the folders stay the same.
  const binFolder = join(folder, bin)
  const copyOf = (path: string) => join(binFolder, relative(bin, path))
  await mkdir(binFolder, { recursive: true })
  await copyFile(join(bin, 'postgres'), join(binFolder, 'postgres'))
  // The program may load libraries from the folder beside its modules.
  const beside = join(bin, '..', 'lib')
  const linked = libraries.startsWith(beside) ? beside : libraries
  await mkdir(dirname(copyOf(linked)), { recursive: true })
  await symlink(linked, copyOf(linked))
  await linkAll(share, copyOf(share), ['extension'])
  const controls = join(copyOf(share), 'extension')
  await linkAll(join(share, 'extension'), controls)
  for (const { name, control, script, update } of extensions) {
    // Otherwise a write would follow a link of that name to the shared file.
    for (const file of [`${name}.control`, `${name}--1.0.sql`]) await rm(join(controls, file), { force: true })
    await writeFile(join(controls, `${name}.control`), ["default_version = '1.0'", ...control, ''].join('\n'))
    await writeFile(join(controls, `${name}--1.0.sql`), script)
    if (update !== undefined) await writeFile(join(controls, `${name}--1.0--1.1.sql`), update)
  }
  const versions = home.versions.filter(({ major }) => major === like.version)
  return { ...home, versions: versions.map((version): HomeVersion => ({ ...version, binFolder })) }
}

async function linkAll(from: string, to: string, but: readonly string[] = []): Promise<void> {
  await mkdir(to, { recursive: true })
  const names = (await readdir(from)).filter((name) => !but.includes(name))
  await Promise.all(names.map((name) => symlink(join(from, name), join(to, name))))
}
