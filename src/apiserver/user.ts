// Who asks? The name, groups and extra facts that authentication found, or that a request impersonates.

export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** The server's own parts; may do everything. */
export const systemUser: User = { name: 'system:apiserver', groups: ['system:masters'] }
