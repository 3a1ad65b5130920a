// User of a request: name, groups and extra facts, from authentication or impersonation.

export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** User of the server's own components; may do everything. */
export const systemUser: User = { name: 'system:apiserver', groups: ['system:masters'] }
