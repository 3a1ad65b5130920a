// Which rights were printed, and which were used? Rights one by one, from manifests and from what was asked.
import { parseAllDocuments } from 'yaml'
import type { AccessRule } from '../control-plane/control-plane-client.ts'
import type { StoryRequest } from './story-server.ts'

export interface Manifest {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly rules?: readonly AccessRule[]
}

/** Where `konverge install` puts the operator. */
export const operatorNamespace = 'konverge-system'

/** Of those, the account and its rights: neither CRDs nor a Deployment. */
export const kindsOfAccount = /^(Namespace|ServiceAccount|(Cluster)?Role(Binding)?)$/

export function manifestsIn(yaml: string): readonly Manifest[] {
  return parseAllDocuments(yaml, { version: '1.1' }).map((document): Manifest => document.toJS())
}

/** `create services`, `patch replicatedkvstores/status.data.konverge.dev`: one verb on one resource. */
export function rightsIn(manifests: readonly Manifest[]): readonly string[] {
  const rules = manifests.filter((manifest) => !isOfPeople(manifest)).flatMap((manifest) => manifest.rules ?? [])
  return rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((name) => verbs.map((verb) => `${verb} ${inGroup(name, group)}`))),
  )
}

/** Is it a role of people, which the operator is not bound to? */
function isOfPeople({ metadata: { labels = {} } }: Manifest): boolean {
  return Object.keys(labels).some((label) => label.includes('/aggregate-to-'))
}

/** What the requests used. One that was refused for want of a right used none. */
export function rightsUsed(requests: readonly StoryRequest[]): ReadonlySet<string> {
  const used = requests.filter(({ code, resource }) => code !== 403 && resource !== '')
  return new Set(
    used.map(({ verb, resource, subresource, group }) => {
      const name = subresource === '' ? resource : `${resource}/${subresource}`
      return `${verb} ${inGroup(name, group)}`
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
