// Rights as single pairs of verb and resource: the printed ones from manifests, the used ones from requests.
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

/** Default namespace of the operator in `konverge install`. */
export const operatorNamespace = 'konverge-system'

/** Kinds of the account and its rights, without CRDs and Deployment. */
export const kindsOfAccount = /^(Namespace|ServiceAccount|(Cluster)?Role(Binding)?)$/

export function manifestsIn(yaml: string): readonly Manifest[] {
  return parseAllDocuments(yaml, { version: '1.1' }).map((document): Manifest => document.toJS())
}

/**
 * Returns rights, one verb on one resource each: `create services`, `patch
 * replicatedkvstores/status.data.konverge.dev`.
 */
export function rightsIn(manifests: readonly Manifest[]): readonly string[] {
  const rules = manifests.filter((manifest) => !isOfPeople(manifest)).flatMap((manifest) => manifest.rules ?? [])
  return rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((name) => verbs.map((verb) => `${verb} ${inGroup(name, group)}`))),
  )
}

/** True for a role of people; the operator is not bound to it. */
function isOfPeople({ metadata: { labels = {} } }: Manifest): boolean {
  return Object.keys(labels).some((label) => label.includes('/aggregate-to-'))
}

/** Returns the rights that the requests used. A request that got 403 used none. */
export function rightsUsed(requests: readonly StoryRequest[]): ReadonlySet<string> {
  const used = requests.filter(({ code, resource }) => code !== 403 && resource !== '')
  return new Set(
    used.map(({ verb, resource, subresource, group }) => {
      const name = subresource === '' ? resource : `${resource}/${subresource}`
      return `${verb} ${inGroup(name, group)}`
    }),
  )
}

/** Returns the rules without one right. */
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
