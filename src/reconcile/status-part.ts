// The part of a status that one controller writes. Pure. A controller without a name has the whole status. A named one
// has the runtime's conditions with its name as prefix, its own conditions and fields, and none of the runtime's
// fields.
// Invariant: no controller of a kind reads or writes the runtime's conditions of another one.
import type { Condition } from '../object/condition.ts'
import type { LiveObject } from '../object/object.ts'
import type { ResourceStatus } from './records.ts'

export interface StatusPart {
  /** Returns the stored status as this controller sees it. */
  read(status: ResourceStatus | undefined): ResourceStatus | undefined
  /** Returns this controller's status in its stored form. */
  stored(status: ResourceStatus): ResourceStatus
  /** True for a stored condition type that the runtime writes for this controller. */
  isOwnType(type: string): boolean
  /** Fields that the runtime writes for this controller. */
  readonly ownFields: ReadonlySet<string>
  /** True for a field that the runtime writes for another controller of the kind. */
  isOthersField(name: string): boolean
}

const runtimeTypes: ReadonlySet<string> = new Set([
  'Ready',
  'Progressing',
  'Degraded',
  'Reconciling',
  'Stalled',
  'Paused',
  'AnnotationIgnored',
])
const runtimeFields: ReadonlySet<string> = new Set([
  'conditions',
  'observedGeneration',
  'lastHandledReconcileAt',
  'external',
  'sagas',
  'inventory',
])

/** Returns the part of the controller with this name, as in OperatorIdentity.part. */
export function statusPartOf(part: string | undefined): StatusPart {
  return part === undefined ? wholeStatus : namedPart(conditionPrefixOf(part))
}

/** `BackupAudit` for `backup-audit`. */
export function conditionPrefixOf(part: string): string {
  return part
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}

/** Returns the resource without the journal entries and remote children of another controller. */
export function withoutOthersRecords(object: LiveObject, part: string | undefined): LiveObject {
  if (part === undefined || object.status === undefined) return object
  const { external: _, sagas: __, inventory: ___, ...status } = object.status as ResourceStatus
  return { ...object, status }
}

const wholeStatus: StatusPart = {
  read: (status) => status,
  stored: (status) => status,
  isOwnType: (type) => runtimeTypes.has(type),
  ownFields: runtimeFields,
  isOthersField: () => false,
}

function namedPart(prefix: string): StatusPart {
  const conditionsOnly = (
    { conditions, ...status }: ResourceStatus,
    rename: (all: readonly Condition[]) => readonly Condition[],
  ) => {
    const fields = Object.entries(status).filter(([name]) => !runtimeFields.has(name))
    return { ...Object.fromEntries(fields), ...(conditions === undefined ? {} : { conditions: rename(conditions) }) }
  }
  const isOwnType = (type: string) => type.startsWith(prefix) && runtimeTypes.has(type.slice(prefix.length))
  const own = (condition: Condition) => {
    if (runtimeTypes.has(condition.type)) return []
    return isOwnType(condition.type) ? { ...condition, type: condition.type.slice(prefix.length) } : condition
  }
  const prefixed = (condition: Condition) =>
    runtimeTypes.has(condition.type) ? { ...condition, type: prefix + condition.type } : condition
  return {
    read: (status) => status && conditionsOnly(status, (all) => all.flatMap(own)),
    stored: (status) => conditionsOnly(status, (all) => all.map(prefixed)),
    isOwnType,
    ownFields: new Set(['conditions']),
    isOthersField: (name) => name !== 'conditions' && runtimeFields.has(name),
  }
}
