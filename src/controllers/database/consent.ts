// Consent of a Database to users of other namespaces. Such a user gets rights through the operator's own privileges on
// the server. Invariant: without consent, a user learns nothing about the Database, not even whether it exists. Pure.
import type { DatabaseSpec } from '../../../imports/wire/database.ts'
import type { LiveObject } from '../../index.ts'

export interface ConsentInput {
  readonly allowedNamespaces: DatabaseSpec['allowedNamespaces']
  readonly databaseNamespace: string | undefined
  readonly userNamespace: string | undefined
  /** Labels of the user's namespace. Undefined: the namespace cannot be read. */
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined
}

export function hasConsent(input: ConsentInput): boolean {
  const { allowedNamespaces: allowed, databaseNamespace, userNamespace, namespaceLabels } = input
  if (databaseNamespace === userNamespace) return true
  if (allowed === undefined || userNamespace === undefined) return false
  if (allowed.names !== undefined) return allowed.names.includes(userNamespace)
  return allowed.selector !== undefined && namespaceLabels !== undefined && selects(allowed.selector, namespaceLabels)
}

/** Returns the namespaces with consent, sorted. `namespaces`: all namespaces; needed only with a selector. */
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

/** Source: meta/v1 LabelSelector. An empty selector matches everything. */
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
          // An operator of a newer API version. An unknown operator gives no consent.
          return false
      }
    })
  )
}
