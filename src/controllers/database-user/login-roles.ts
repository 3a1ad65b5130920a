// What are the roles of one user called on the server? One that nobody logs in as holds the rights; two take turns in logging
// in as it, so that a password can be changed while the old one still works.

/** What is put behind the name of the group. */
const turns = ['a', 'b'] as const

/** Both names under which somebody may log in; mostly only one of them is there. */
export function loginRolesOf(group: string): readonly [string, string] {
  return [`${group}_${turns[0]}`, `${group}_${turns[1]}`]
}

/** Whose turn it is after this one. */
export function otherLogin(group: string, login: string): string {
  const [first, second] = loginRolesOf(group)
  return login === first ? second : first
}

/** The name of the role that holds the rights. */
export function groupRoleOf({
  metadata,
  spec,
}: {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly roleName?: string }
}): string {
  return spec.roleName ?? metadata.name.replaceAll('-', '_')
}
