// The part of a status that one controller writes. Pure. A controller without a name has the whole status; a named one has the runtime's
// conditions with its name in front, its own conditions and fields, and none of the runtime's fields. Invariant: of two controllers of a kind
// none reads or writes the runtime's conditions of the other.
import type { Condition } from '../object/condition.ts'
import type { LiveObject } from '../object/object.ts'
import type { ResourceStatus } from './records.ts'

export interface StatusPart {
  /** The stored status as this controller knows it. */
  read(status: ResourceStatus | undefined): ResourceStatus | undefined
  /** What this controller has to say, as it is stored. */
  stored(status: ResourceStatus): ResourceStatus
  /** True for a condition that the runtime writes for this controller, as it is stored. */
  isOwnType(type: string): boolean
  /** The fields that the runtime writes for this controller. */
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

/** The part of the controller with this name, as of OperatorIdentity.part. */
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

/** The resource as a controller may see it: the records of another controller's things outside and remote children are not its own. */
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
