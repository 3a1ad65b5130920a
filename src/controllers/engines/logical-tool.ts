// Which of the dump tools on a machine can save a server, and restore what was saved? A tool saves servers up to its own version, and
// reads what tools up to its own version wrote; the oldest that will do is taken, as what it writes can be read by most. Pure.

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

/** `atLeast`: the server's major version when saving; when restoring, that of the tool that wrote. */
export function chooseTool(
  program: 'pg_dump' | 'pg_restore',
  tools: readonly LogicalTool[],
  atLeast: number,
): ToolChoice {
  const able = tools
    .filter(({ majorVersion }) => majorVersion >= atLeast)
    .toSorted((left, right) => left.majorVersion - right.majorVersion)
  const [tool] = able
  if (tool !== undefined) return { kind: 'tool', tool }
  if (tools.length === 0) {
    const message = `there is no ${program} where the backup runs; use an image with PostgreSQL's client programs, version ${atLeast} or newer`
    return { kind: 'none', reason: 'LogicalToolMissing', message }
  }
  const newest = tools.reduce((best, other) => (other.majorVersion > best.majorVersion ? other : best))
  const about = program === 'pg_dump' ? `a server of version ${atLeast}` : `an artifact of version ${atLeast}`
  const message = `${program} ${newest.version} is too old for ${about}; use an image with PostgreSQL's client programs, version ${atLeast} or newer`
  return { kind: 'none', reason: 'VersionMismatch', message }
}

/** Of what `pg_dump --version` prints: `pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`. Undefined if it is none. */
export function toolVersion(printed: string): Omit<LogicalTool, 'folder'> | undefined {
  const [, version, major] = /\(PostgreSQL\) ((\d+)[\w.]*)/.exec(printed) ?? []
  return version === undefined || major === undefined ? undefined : { version, majorVersion: Number(major) }
}
