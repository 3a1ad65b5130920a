// What would have to be granted so that the admin may do it? Servers say what he may not do; people need the statement that
// changes it. The wording of PostgreSQL 14 to 18 is known; of anything else nothing is said.

export interface RejectedStatement {
  readonly message: string
  readonly admin: string
  /** The role that was to be changed. */
  readonly role: string | undefined
}

interface Hint {
  readonly text: RegExp
  say(refused: RejectedStatement, subject: string): string | undefined
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

const hints: readonly Hint[] = [
  { text: /must be member of role "(.*)"/, say: ({ admin }, role) => `GRANT ${quote(role)} TO ${quote(admin)}` },
  {
    text: /must be able to SET ROLE "(.*)"/,
    say: ({ admin }, role) => `GRANT ${quote(role)} TO ${quote(admin)} WITH SET TRUE, INHERIT TRUE`,
  },
  {
    text: /(?:must have admin option on|permission denied to grant) role "(.*)"/,
    say: ({ admin }, role) => `GRANT ${quote(role)} TO ${quote(admin)} WITH ADMIN OPTION`,
  },
  {
    text: /permission denied to create role|must have CREATEROLE/,
    say: ({ admin }) => `ALTER ROLE ${quote(admin)} CREATEROLE`,
  },
  {
    text: /permission denied to (?:create|rename) database|must have CREATEDB/,
    say: ({ admin }) => `ALTER ROLE ${quote(admin)} CREATEDB`,
  },
  {
    text: /permission denied to (?:drop|reassign) objects/,
    say: ({ admin, role }) => (role === undefined ? undefined : `GRANT ${quote(role)} TO ${quote(admin)}`),
  },
  // Without a word more, PostgreSQL 15 so refuses to alter a role.
  {
    text: /permission denied to (?:alter|drop|comment on) role|permission denied$/,
    say: ({ admin, role }) =>
      role === undefined
        ? undefined
        : `ALTER ROLE ${quote(admin)} CREATEROLE and GRANT ${quote(role)} TO ${quote(admin)} WITH ADMIN OPTION`,
  },
  {
    text: /permission denied to set parameter "(.*)"/,
    say: ({ role }, parameter) =>
      role === undefined ? undefined : `GRANT SET ON PARAMETER ${quote(parameter)} TO ${quote(role)}`,
  },
  {
    text: /terminate (?:process|other)|whose process is being terminated/,
    say: ({ admin }) => `GRANT pg_signal_backend TO ${quote(admin)}`,
  },
  {
    text: /permission denied to create extension "(.*)"/,
    say: (_, extension) => `a superuser has to run CREATE EXTENSION ${quote(extension)}`,
  },
  {
    text: /permission denied for|must be (?:owner|member) of/,
    say: ({ admin }) => `make ${quote(admin)} a member of its owner`,
  },
  { text: /must be superuser/, say: ({ admin }) => `${quote(admin)} has to be a superuser for that` },
]

/** A phrase for people; undefined where nothing is known that would help. */
export function missingGrant(refused: RejectedStatement): string | undefined {
  for (const { text, say } of hints) {
    const found = text.exec(refused.message)
    const missing = found === null ? undefined : say(refused, found[1] ?? '')
    if (missing !== undefined) return `missing: ${missing}`
  }
  return undefined
}
