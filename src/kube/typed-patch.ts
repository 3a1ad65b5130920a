// Messages of the API server about an apply that does not fit the schema of its kind. They come with HTTP 500 and no causes, whatever
// `fieldValidation` says. Source: structured-merge-diff, typed.ValidationErrors; apimachinery managedfields, structuredmerge.go. Pure.

/** True if an apply does not fit the schema: an unknown field, or a value of another type. */
export function isSchemaError(said: string): boolean {
  return said.startsWith('failed to create typed patch object')
}

const unknownField = ': field not declared in schema'

/** Paths of the unknown fields, as `spec.items[0].b`, sorted. The API server names all or some of them, in any order. Linear. */
export function unknownFieldsOf(said: string): readonly string[] {
  if (!isSchemaError(said)) return []
  // One problem follows the object on the same line; several have a line each.
  const problems = said.slice(said.indexOf('): ') + '): '.length).split('\n')
  const paths = problems.flatMap((problem) => {
    const path = problem.trim()
    return path.startsWith('.') && path.endsWith(unknownField) ? [path.slice(1, -unknownField.length)] : []
  })
  return [...new Set(paths)].sort()
}
