// Which rights were printed, and which were used? Rights one by one, from manifests and from the audit log.
import { parseAllDocuments } from 'yaml'
import type { AuditEvent } from '../control-plane/audit-log.ts'
import type { AccessRule } from '../control-plane/control-plane-client.ts'

export interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules?: readonly AccessRule[]
}

export function manifestsIn(yaml: string): readonly Manifest[] {
  return parseAllDocuments(yaml, { version: '1.1' }).map((document): Manifest => document.toJS())
}

/** `create services`, `patch replicatedkvstores/status.data.konverge.dev`: one verb on one resource. */
export function rightsIn(manifests: readonly Manifest[]): readonly string[] {
  const rules = manifests.flatMap((manifest) => manifest.rules ?? [])
  return rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((name) => verbs.map((verb) => `${verb} ${inGroup(name, group)}`))),
  )
}

/** What the requests used. One that was refused for want of a right used none. */
export function rightsUsed(events: readonly AuditEvent[]): ReadonlySet<string> {
  const used = events.filter(({ responseStatus, objectRef }) => responseStatus?.code !== 403 && objectRef !== undefined)
  return new Set(
    used.map(({ verb, objectRef: { resource = '', subresource, apiGroup } = {} }) => {
      const name = subresource === undefined ? resource : `${resource}/${subresource}`
      return `${verb} ${inGroup(name, apiGroup ?? '')}`
    }),
  )
}

/** The rules without one right. */
export function rulesWithout(rules: readonly AccessRule[], right: string): readonly AccessRule[] {
  return rules.flatMap((rule) => {
    const { apiGroups = [], resources = [], verbs } = rule
    const only = (name: string, rest: readonly string[]): AccessRule => ({ ...rule, resources: [name], verbs: rest })
    return resources.flatMap((name) => {
      const kept = verbs.filter((verb) => !apiGroups.some((group) => `${verb} ${inGroup(name, group)}` === right))
      return kept.length === 0 ? [] : [only(name, kept)]
    })
  })
}

function inGroup(resource: string, group: string): string {
  return group === '' ? resource : `${resource}.${group}`
}
