// Parses messages of the API server about an apply that does not fit the schema of its kind. They come with HTTP 500
// and without causes, for every `fieldValidation`. Source: structured-merge-diff, typed.ValidationErrors; apimachinery
// managedfields, structuredmerge.go. Pure.

/** True if an apply does not fit the schema: an unknown field, or a value of another type. */
export function isSchemaError(said: string): boolean {
  return said.startsWith('failed to create typed patch object')
}

const unknownField = ': field not declared in schema'

/**
 * Returns the sorted paths of the unknown fields, as `spec.items[0].b`. The API server names all or some of them, in
 * any order. Linear.
 */
export function unknownFieldsOf(said: string): readonly string[] {
  if (!isSchemaError(said)) return []
  // A single problem follows the object on the same line; several problems have one line each.
  const problems = said.slice(said.indexOf('): ') + '): '.length).split('\n')
  const paths = problems.flatMap((problem) => {
    const path = problem.trim()
    return path.startsWith('.') && path.endsWith(unknownField) ? [path.slice(1, -unknownField.length)] : []
  })
  return [...new Set(paths)].sort()
}
