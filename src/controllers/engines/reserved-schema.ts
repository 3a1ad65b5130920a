// Schemas that no spec may name: those of the operator and of PostgreSQL. The CRDs reject them; the controllers do so again, as an object may
// be older than its CRD. Pure.

/** Does it hold marks of migrations? Names that begin so are the operator's. */
export function isOperatorSchema(name: string): boolean {
  return name.startsWith('_konverge')
}

/** Is it the operator's, or PostgreSQL's own? */
export function isReservedSchema(name: string): boolean {
  return isOperatorSchema(name) || name.startsWith('pg_') || name === 'information_schema'
}

/** Extensions may have their objects in `pg_catalog`. */
export function isReservedForExtensions(name: string): boolean {
  return isReservedSchema(name) && name !== 'pg_catalog'
}

export function reservedSchemaMessage(field: string, names: readonly string[]): string {
  return `${field} names ${names.join(', ')}: schemas of the operator (_konverge) and of PostgreSQL (pg_*, information_schema) are rejected; take them out of the spec`
}
