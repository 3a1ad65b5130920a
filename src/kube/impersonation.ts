// Request headers that ask the server to treat the caller as another user, group or service account. Source: the
// Kubernetes authentication reference, "User impersonation".

export interface Impersonation {
  readonly user: string
  readonly uid?: string | undefined
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

export function impersonationHeaders({ user, uid, groups, extra }: Impersonation): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'impersonate-user': user }
  if (uid !== undefined) headers['impersonate-uid'] = uid
  if (groups.length > 0) headers['impersonate-group'] = [...groups]
  // Header names have a small alphabet; the server decodes percent signs after the prefix.
  for (const [key, values] of Object.entries(extra)) {
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase()).toLowerCase()}`] = [...values]
  }
  return headers
}
