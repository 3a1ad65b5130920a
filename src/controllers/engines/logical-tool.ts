// Which of the dump tools on a machine can save a server, and restore what was saved? A tool saves servers up to its own version, and
// reads what tools up to its own version wrote; the oldest that will do is taken, as what it writes can be read by most. The files of a
// server are read by its own version alone. Pure.

export interface LogicalTool {
  readonly majorVersion: number
  /** As it says it: `15.18`. */
  readonly version: string
  /** Where its programs are. */
  readonly folder: string
}

export type ToolChoice =
  | { readonly kind: 'tool'; readonly tool: LogicalTool }
  | { readonly kind: 'none'; readonly reason: 'LogicalToolMissing' | 'VersionMismatch'; readonly message: string }

export type DatabaseProgram = 'pg_dump' | 'pg_restore' | 'pg_basebackup' | 'pg_verifybackup' | 'postgres'

/** Those that read the files of a server, of one major version alone. */
const ofOneVersion: readonly DatabaseProgram[] = ['pg_verifybackup', 'postgres']

/** `version`: the server's major version when saving, and of its files; when restoring a dump, that of the tool that wrote it. */
export function chooseTool(program: DatabaseProgram, tools: readonly LogicalTool[], version: number): ToolChoice {
  const isExact = ofOneVersion.includes(program)
  const [tool] = tools
    .filter(({ majorVersion }) => (isExact ? majorVersion === version : majorVersion >= version))
    .toSorted((left, right) => left.majorVersion - right.majorVersion)
  if (tool !== undefined) return { kind: 'tool', tool }
  const sort = isExact ? 'server' : 'client'
  const wanted = isExact ? `of version ${version}` : `version ${version} or newer`
  const image = `use an image with PostgreSQL's ${sort} programs, ${wanted}`
  if (tools.length === 0) {
    const message = `there is no ${program} where the backup runs; ${image}`
    return { kind: 'none', reason: 'LogicalToolMissing', message }
  }
  const newest = tools.reduce((best, other) => (other.majorVersion > best.majorVersion ? other : best))
  const fault = isExact
    ? `cannot start the files of a server of version ${version}`
    : `is too old for ${program === 'pg_restore' ? 'an artifact' : 'a server'} of version ${version}`
  return { kind: 'none', reason: 'VersionMismatch', message: `${program} ${newest.version} ${fault}; ${image}` }
}

/** Of what `pg_dump --version` prints: `pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`. Undefined if it is none. */
export function toolVersion(printed: string): Omit<LogicalTool, 'folder'> | undefined {
  const [, version, major] = /\(PostgreSQL\) ((\d+)[\w.]*)/.exec(printed) ?? []
  return version === undefined || major === undefined ? undefined : { version, majorVersion: Number(major) }
}
