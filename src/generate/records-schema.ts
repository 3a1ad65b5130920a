// Has a definition room for what the runtime records of things outside the cluster? Without it nothing is made there, which is better
// said before the operator runs than by its first resource.
import { type Crd, type Field, servedVersions } from './crd.ts'

/** Of one record; of its token. */
const recordFields = ['name', 'phase', 'externalName', 'token', 'requestedAt', 'providerID', 'appliedGeneration']
const tokenFields = ['uid', 'generation']

/** One sentence, or undefined if every version that is served keeps `status.external` as it is sent. */
export function recordsComplaint(crd: Crd): string | undefined {
  const narrow = servedVersions(crd).find(({ fields }) => !keepsRecords(fields))
  if (narrow === undefined) return undefined
  const { plural, group, kind } = crd
  return `${plural}.${group} has no status.external for records (${recordFields.join(', ')}) in ${narrow.name}, and ${kind} stands for something outside the cluster, where nothing is made without it`
}

function keepsRecords(fields: readonly Field[]): boolean {
  const records = fieldsAt(fields, 'status').find(({ name }) => name === 'external')?.schema.shape
  if (records?.kind !== 'list' || records.items.shape.kind !== 'object') return false
  const { fields: known } = records.items.shape
  return has(known, recordFields) && has(fieldsAt(known, 'token'), tokenFields)
}

function fieldsAt(fields: readonly Field[], name: string): readonly Field[] {
  const shape = fields.find((field) => field.name === name)?.schema.shape
  return shape?.kind === 'object' ? shape.fields : []
}

function has(fields: readonly Field[], names: readonly string[]): boolean {
  return names.every((name) => fields.some((field) => field.name === name))
}
