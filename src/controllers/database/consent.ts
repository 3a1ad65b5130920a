// May a user of one namespace use a Database of another? Only if the Database says so: it is reached with the operator's rights on
// its server. Without its consent nothing is told of it, not even whether it is there. Pure.
import type { DatabaseSpec } from '../../../imports/wire/database.ts'
import type { LiveObject } from '../../index.ts'

export interface ConsentInput {
  readonly allowedNamespaces: DatabaseSpec['allowedNamespaces']
  readonly databaseNamespace: string | undefined
  readonly userNamespace: string | undefined
  /** Of the user's namespace; undefined: it cannot be seen. */
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined
}

export function hasConsent(input: ConsentInput): boolean {
  const { allowedNamespaces: allowed, databaseNamespace, userNamespace, namespaceLabels } = input
  if (databaseNamespace === userNamespace) return true
  if (allowed === undefined || userNamespace === undefined) return false
  if (allowed.names !== undefined) return allowed.names.includes(userNamespace)
  return allowed.selector !== undefined && namespaceLabels !== undefined && selects(allowed.selector, namespaceLabels)
}

/** Those that consent lets in, sorted; `namespaces`: all there are, asked only where there is a selector. */
export function consentingNamespaces(
  databaseNamespace: string,
  allowedNamespaces: DatabaseSpec['allowedNamespaces'],
  namespaces: readonly LiveObject[],
): readonly string[] {
  const selected = namespaces
    .filter(({ metadata: { name, labels = {} } }) =>
      hasConsent({ allowedNamespaces, databaseNamespace, userNamespace: name, namespaceLabels: labels }),
    )
    .map(({ metadata }) => metadata.name)
  return [...new Set([databaseNamespace, ...(allowedNamespaces?.names ?? []), ...selected])].toSorted()
}

type Selector = NonNullable<NonNullable<DatabaseSpec['allowedNamespaces']>['selector']>

/** Source: meta/v1 LabelSelector. An empty one selects everything. */
function selects(
  { matchLabels = {}, matchExpressions = [] }: Selector,
  labels: Readonly<Record<string, string>>,
): boolean {
  const has = (key: string) => Object.hasOwn(labels, key)
  return (
    Object.entries(matchLabels).every(([key, value]) => has(key) && labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      switch (operator) {
        case 'In':
          return has(key) && values.includes(labels[key] ?? '')
        case 'NotIn':
          return !has(key) || !values.includes(labels[key] ?? '')
        case 'Exists':
          return has(key)
        case 'DoesNotExist':
          return !has(key)
        default:
          // An operator of a newer definition: what is not understood is no consent.
          return false
      }
    })
  )
}
