// Error of an apply without force that changes fields of other managers: each field and its owner.
// Source: k8s.io/apimachinery/pkg/util/managedfields/internal/conflict.go.
import type { FieldPath } from '../../diff/field-path.ts'
import type { FieldSet } from '../../diff/field-set.ts'
import { goQuoted } from '../field-error.ts'
import { applyConflict, type StatusError } from '../status-error.ts'
import { renderFieldPath } from './field-text.ts'
import type { Numbers } from './go-value.ts'
import type { EntryIdentity } from './managed-entry.ts'
import type { Conflict } from './ownership.ts'

/** Returns the error; managers are ordered by their identity text. */
export function conflictError(
  conflicts: readonly Conflict[],
  entries: ReadonlyMap<string, EntryIdentity>,
  numbers: Numbers,
): StatusError {
  const found = [...conflicts]
    .sort((left, right) => (left.manager < right.manager ? -1 : 1))
    .map(({ manager, fields }) => {
      const entry = entries.get(manager)
      return {
        who: entry === undefined ? goQuoted(manager) : managerText(entry),
        paths: listed(fields).map((path) => renderFieldPath(path, numbers)),
      }
    })
  const causes = found.flatMap(({ who, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  )
  const [first] = causes
  if (first !== undefined && causes.length === 1) {
    return applyConflict(`Apply failed with 1 conflict: ${first.message}: ${first.field}`, causes)
  }
  const lines = found.flatMap(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)])
  return applyConflict(`Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`, causes)
}

function managerText({ manager, operation, apiVersion, subresource }: EntryIdentity): string {
  const name = subresource === '' ? goQuoted(manager) : `${goQuoted(manager)} with subresource ${goQuoted(subresource)}`
  return operation === 'Update' ? `${name} using ${apiVersion}` : name
}

/** Returns the paths in upstream's order: at each level, owned paths first, then deeper ones. */
function listed(fields: FieldSet, prefix: FieldPath = []): FieldPath[] {
  const children = fields.sortedChildren().map(([, { element, set }]) => ({ path: [...prefix, element], set }))
  return [
    ...children.filter(({ set }) => set.isMember).map(({ path }) => path),
    ...children.flatMap(({ path, set }) => listed(set, path)),
  ]
}
