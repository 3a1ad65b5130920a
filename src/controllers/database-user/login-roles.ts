// Names of the roles of one user. A group role without login has the privileges.
// Two login roles alternate as its members, so that a password can change while the old one still works.

/** Suffixes of the login roles. */
const turns = ['a', 'b'] as const

/** Both names of login roles; usually only one of them exists. */
export function loginRolesOf(group: string): readonly [string, string] {
  return [`${group}_${turns[0]}`, `${group}_${turns[1]}`]
}

/** The login role that follows this one. */
export function otherLogin(group: string, login: string): string {
  const [first, second] = loginRolesOf(group)
  return login === first ? second : first
}

/** Name of the group role, which has the privileges. */
export function groupRoleOf({
  metadata,
  spec,
}: {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly roleName?: string }
}): string {
  return spec.roleName ?? metadata.name.replaceAll('-', '_')
}
