// RBAC rules that a test cluster grants its operators, and the namespaces in which they apply. Pure.

/** RBAC rules by scope, as `rightsOf` returns them. */
export interface RightsByPlace {
  readonly namespaced: readonly object[]
  readonly cluster: readonly object[]
  /** Rules for the namespace of the operator, `default`. */
  readonly home: readonly object[]
}

export interface Grant {
  readonly rules: readonly object[]
  /** Undefined: in the whole cluster. */
  readonly namespace?: string
}

interface Granting {
  readonly rights?: readonly object[] | RightsByPlace
  readonly namespaces?: readonly string[]
}

/** Grants the rights as `install` does, if they name their scopes. */
export function grantsOf({ rights, namespaces = [] }: Granting): readonly Grant[] {
  if (rights === undefined) return []
  if (!('namespaced' in rights)) return [{ rules: rights }]
  const { namespaced, cluster, home } = rights
  const isConfined = namespaces.length > 0
  return [
    { rules: isConfined ? cluster : [...namespaced, ...cluster] },
    ...[...new Set([...namespaces, 'default'])].map((namespace) => ({
      rules: [...(namespaces.includes(namespace) ? namespaced : []), ...(namespace === 'default' ? home : [])],
      namespace,
    })),
  ]
}
