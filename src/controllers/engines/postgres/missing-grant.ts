// Statement that would give the admin a missing privilege, derived from the server's error message. Knows the wording
// of PostgreSQL 14 to 18, and returns nothing for other messages.

export interface RejectedStatement {
  readonly message: string
  readonly admin: string
  /** Role that the rejected statement changes. */
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
  // PostgreSQL 15 rejects ALTER ROLE with "permission denied" and no other word.
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

/** Returns a phrase for the error message. Undefined for an unknown message. */
export function missingGrant(refused: RejectedStatement): string | undefined {
  for (const { text, say } of hints) {
    const found = text.exec(refused.message)
    const missing = found === null ? undefined : say(refused, found[1] ?? '')
    if (missing !== undefined) return `missing: ${missing}`
  }
  return undefined
}
