// Checks that a definition keeps the runtime's journal entries of external resources and sagas. Without them the
// runtime creates nothing and starts no step; the check reports that before the operator runs.
import { type Crd, type Field, servedVersions } from './crd.ts'

/** A list of journal entries in the status, and its required fields. */
interface RecordsList {
  readonly name: 'external' | 'sagas'
  readonly fields: readonly string[]
  /** A field of an entry, and the required fields in it, or in each of its entries. */
  readonly within: readonly [field: string, fields: readonly string[]]
  /** Effect of a missing field on the kind. */
  readonly need: string
}

const externalRecords: RecordsList = {
  name: 'external',
  fields: ['name', 'phase', 'externalName', 'token', 'requestedAt', 'providerID', 'appliedGeneration'],
  within: ['token', ['uid', 'generation']],
  need: 'stands for something outside the cluster, where nothing is made without it',
}

const sagaRecords: RecordsList = {
  name: 'sagas',
  fields: [
    'name',
    'id',
    'state',
    'generation',
    'input',
    'startedAt',
    'finishedAt',
    'pivotedAt',
    'reason',
    'message',
    'retriedFor',
    'steps',
  ],
  within: ['steps', ['name', 'state', 'startedAt', 'attempts', 'retryAt', 'reason', 'message', 'notes']],
  need: 'has sagas, of which no step is taken without it',
}

/** The parts of a controller that need journal entries in the status. */
export interface Recording {
  readonly external: readonly unknown[]
  readonly sagas: readonly unknown[]
}

/** Returns one sentence, or undefined if every served version keeps the journal entries unchanged. */
export function recordsComplaint(crd: Crd, { external, sagas }: Recording): string | undefined {
  const kept = [...(external.length === 0 ? [] : [externalRecords]), ...(sagas.length === 0 ? [] : [sagaRecords])]
  const [complaint] = kept.flatMap((list) => complaintOf(crd, list) ?? [])
  return complaint
}

function complaintOf(crd: Crd, list: RecordsList): string | undefined {
  const narrow = servedVersions(crd).find(({ fields }) => !keeps(fields, list))
  if (narrow === undefined) return undefined
  const { plural, group, kind } = crd
  const { name, fields, need } = list
  return `${plural}.${group} has no status.${name} for records (${fields.join(', ')}) in ${narrow.name}, and ${kind} ${need}`
}

function keeps(fields: readonly Field[], { name, fields: needed, within: [field, inner] }: RecordsList): boolean {
  const known = itemsOf(fieldsAt(fields, 'status'), name)
  return has(known, needed) && has([...fieldsAt(known, field), ...itemsOf(known, field)], inner)
}

/** Returns the fields of the entries of a list; empty for another list, or no list. */
function itemsOf(fields: readonly Field[], name: string): readonly Field[] {
  const shape = fields.find((field) => field.name === name)?.schema.shape
  return shape?.kind === 'list' && shape.items.shape.kind === 'object' ? shape.items.shape.fields : []
}

function fieldsAt(fields: readonly Field[], name: string): readonly Field[] {
  const shape = fields.find((field) => field.name === name)?.schema.shape
  return shape?.kind === 'object' ? shape.fields : []
}

function has(fields: readonly Field[], names: readonly string[]): boolean {
  return names.every((name) => fields.some((field) => field.name === name))
}
