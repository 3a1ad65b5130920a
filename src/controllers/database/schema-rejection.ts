// Rejects reserved schemas in a Database: those of the operator and of PostgreSQL. Also covers objects that are older
// than the CRD's rule. Pure.
import type { DatabaseSpec } from '../../../imports/wire/database.ts'
import type { InvalidSpec } from '../../index.ts'
import { isReservedForExtensions, isReservedSchema, reservedSchemaMessage } from '../engines/reserved-schema.ts'

export function schemaRejection({
  schemas = [],
  extensions = [],
}: Pick<DatabaseSpec, 'schemas' | 'extensions'>): InvalidSpec | undefined {
  const reserved = schemas.map(({ name }) => name).filter(isReservedSchema)
  if (reserved.length > 0) return rejection('spec.schemas', reserved)
  const ofExtensions = extensions.flatMap(({ schema = 'public' }) => (isReservedForExtensions(schema) ? [schema] : []))
  return ofExtensions.length > 0 ? rejection('spec.extensions', ofExtensions) : undefined
}

function rejection(field: string, names: readonly string[]): InvalidSpec {
  return { reason: 'ReservedSchema', message: reservedSchemaMessage(field, names) }
}
