// The rule for schemas of a Database: none of the operator's or of PostgreSQL's own, also where the object is older than its CRD. Pure.
import type { DatabaseSpec } from '../../../imports/wire/database.ts'
import type { Refusal } from '../../index.ts'
import { isReservedForExtensions, isReservedSchema, reservedSchemaMessage } from '../engines/reserved-schema.ts'

export function schemaRefusal({
  schemas = [],
  extensions = [],
}: Pick<DatabaseSpec, 'schemas' | 'extensions'>): Refusal | undefined {
  const reserved = schemas.map(({ name }) => name).filter(isReservedSchema)
  if (reserved.length > 0) return refusal('spec.schemas', reserved)
  const ofExtensions = extensions.flatMap(({ schema = 'public' }) => (isReservedForExtensions(schema) ? [schema] : []))
  return ofExtensions.length > 0 ? refusal('spec.extensions', ofExtensions) : undefined
}

function refusal(field: string, names: readonly string[]): Refusal {
  return { reason: 'ReservedSchema', message: reservedSchemaMessage(field, names) }
}
