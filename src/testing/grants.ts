// The rules of RBAC that a test cluster grants its operators, and where each holds. Pure.

/** Rules of RBAC by where they hold, as `rightsOf` gives them. */
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

/** As `install` grants them, where the rights say where they hold. */
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
