// Choice of a PostgreSQL client tool for a backup or restore. A tool dumps servers and reads dumps up to its own
// version. The oldest suitable tool wins, because most other tools can read its output. Only a server of the same major
// version reads data files. Pure.

export interface LogicalTool {
  readonly majorVersion: number
  /** Version as the tool prints it, e.g. `15.18`. */
  readonly version: string
  /** Folder of the tool's programs. */
  readonly folder: string
}

export type ToolChoice =
  | { readonly kind: 'tool'; readonly tool: LogicalTool }
  | { readonly kind: 'none'; readonly reason: 'LogicalToolMissing' | 'VersionMismatch'; readonly message: string }

export type DatabaseProgram = 'pg_dump' | 'pg_restore' | 'pg_basebackup' | 'pg_verifybackup' | 'postgres'

/** Programs that read data files, which requires the same major version. */
const ofOneVersion: readonly DatabaseProgram[] = ['pg_verifybackup', 'postgres']

/**
 * Returns the tool that runs `program`. `version` is the major version of the server or its data files; for
 * `pg_restore`, of the tool that wrote the dump.
 */
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

/**
 * Parses the output of `pg_dump --version`, e.g. `pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`. Returns
 * undefined for other text.
 */
export function toolVersion(printed: string): Omit<LogicalTool, 'folder'> | undefined {
  const [, version, major] = /\(PostgreSQL\) ((\d+)[\w.]*)/.exec(printed) ?? []
  return version === undefined || major === undefined ? undefined : { version, majorVersion: Number(major) }
}
