// Rewords the sentence by which the authorizer of the API server rejects a request, so that it names the right to
// grant. Other rejections with the same HTTP code, e.g. of admission, stay unchanged. Source of the form: apiserver's
// responsewriters.Forbidden.

const refusal =
  /User "(?<user>[^"]*)" cannot (?<verb>\S+) resource "(?<plural>[^"]*)" in API group "(?<group>[^"]*)"(?: in the namespace "(?<namespace>[^"]*)")?(?: at the cluster scope)?(?:: (?<reason>.+))?$/s

/**
 * Returns one sentence with user, verb, resource, namespace and the right to grant. Undefined if the server rejected
 * for another reason.
 */
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

/** True for a message of `explainForbidden`: the user lacks a right, and no admission plugin rejected the request. */
export function saysRightIsMissing(message: string): boolean {
  return message.includes(' to it that allows "')
}
