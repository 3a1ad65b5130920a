// CEL authorizer library, declared only. Schema rules have no authorizer, so an expression that uses one is rejected or
// fails, as in the
// API server. Source: k8s.io/apiserver/pkg/cel/library/authz.go.
import type { Library } from '../function-table.ts'

const never = (id: string, signature: string) => ({ overloads: { [id]: [signature] as const } })

export const authorizer: Library = {
  path: never('authorizer_path', 'Authorizer.(string): PathCheck'),
  group: never('authorizer_group', 'Authorizer.(string): GroupCheck'),
  serviceAccount: never('authorizer_serviceaccount', 'Authorizer.(string, string): Authorizer'),
  resource: never('groupcheck_resource', 'GroupCheck.(string): ResourceCheck'),
  subresource: never('resourcecheck_subresource', 'ResourceCheck.(string): ResourceCheck'),
  namespace: never('resourcecheck_namespace', 'ResourceCheck.(string): ResourceCheck'),
  name: never('resourcecheck_name', 'ResourceCheck.(string): ResourceCheck'),
  check: {
    overloads: {
      pathcheck_check: ['PathCheck.(string): Decision'],
      resourcecheck_check: ['ResourceCheck.(string): Decision'],
    },
  },
  errored: never('decision_errored', 'Decision.(): bool'),
  error: never('decision_error', 'Decision.(): string'),
  allowed: never('decision_allowed', 'Decision.(): bool'),
  reason: never('decision_reason', 'Decision.(): string'),
  fieldSelector: never('authorizer_fieldselector', 'ResourceCheck.(string): ResourceCheck'),
  labelSelector: never('authorizer_labelselector', 'ResourceCheck.(string): ResourceCheck'),
}
