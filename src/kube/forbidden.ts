// Who may not do what? The sentence in which the server's authorizer refuses a request, said so that a person knows which
// right to grant. Other refusals with the same HTTP code, e.g. of admission, are left as they are.
// Source of the form: apiserver's responsewriters.Forbidden.

const refusal =
  /User "(?<user>[^"]*)" cannot (?<verb>\S+) resource "(?<plural>[^"]*)" in API group "(?<group>[^"]*)"(?: in the namespace "(?<namespace>[^"]*)")?(?: at the cluster scope)?(?:: (?<reason>.+))?$/s

/** One sentence with user, verb, resource and place, and what to grant; undefined if the server refused for another reason. */
export function explainForbidden(message: string): string | undefined {
  const parts = refusal.exec(message)?.groups
  if (parts === undefined) return undefined
  const { user = '', verb = '', plural = '', group = '', namespace, reason } = parts
  const resource = group === '' ? plural : `${plural}.${group}`
  const where = namespace === undefined ? 'at the cluster scope' : `in namespace ${namespace}`
  const role = namespace === undefined ? 'ClusterRole' : 'Role or ClusterRole'
  const detail = reason === undefined ? '' : ` (${reason.trim()})`
  return `user "${user}" may not ${verb} ${resource} ${where}${detail}; bind a ${role} to it that allows "${verb}" on "${plural}" of API group "${group}"`
}

/** True for a message with the sentence of `explainForbidden`: the user lacks a right, and no admission has refused. */
export function saysRightIsMissing(message: string): boolean {
  return message.includes(' to it that allows "')
}
