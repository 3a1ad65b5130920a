// Schemas that no spec may name: those of the operator and of PostgreSQL. The CRDs reject them. The controllers reject
// them again, because an object may be older than its CRD. Pure.

/** Returns whether the schema belongs to the operator, which stores markers of migrations there. */
export function isOperatorSchema(name: string): boolean {
  return name.startsWith('_konverge')
}

/** Returns whether the schema belongs to the operator or to PostgreSQL. */
export function isReservedSchema(name: string): boolean {
  return isOperatorSchema(name) || name.startsWith('pg_') || name === 'information_schema'
}

/** Returns whether no extension may use the schema. Unlike other objects, extensions may use `pg_catalog`. */
export function isReservedForExtensions(name: string): boolean {
  return isReservedSchema(name) && name !== 'pg_catalog'
}

export function reservedSchemaMessage(field: string, names: readonly string[]): string {
  return `${field} names ${names.join(', ')}: schemas of the operator (_konverge) and of PostgreSQL (pg_*, information_schema) are rejected; take them out of the spec`
}
