// The part of a CustomResourceDefinition that defines types: the shape of its objects. The rest (columns, subresources,
// short names) concerns only the API server.
import type { Json } from '../base/json.ts'

export interface Crd {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly scope: 'Namespaced' | 'Cluster'
  /** In the order of the definition, including versions that are not served. */
  readonly versions: readonly CrdVersion[]
}

export interface CrdVersion {
  readonly name: string
  readonly isServed: boolean
  /** True for the storage version. */
  readonly isStored: boolean
  /** Path of its schema in the definition: `spec.versions[0].schema.openAPIV3Schema`. */
  readonly path: string
  readonly description: string
  /** Fields of the root, without apiVersion, kind and metadata, which every object has. */
  readonly fields: readonly Field[]
}

/** Returns the served versions, the stored one first if it is among them, because it has the kind's plain name. */
export function servedVersions({ versions }: Crd): readonly CrdVersion[] {
  const served = versions.filter(({ isServed }) => isServed)
  return [...served.filter(({ isStored }) => isStored), ...served.filter(({ isStored }) => !isStored)]
}

/** The schema of one value: its shape and its description. */
export interface Schema {
  readonly shape: Shape
  readonly isNullable: boolean
  readonly description: string
  /** Value that the server sets if the field is absent. */
  readonly defaultValue?: Json
  /** Constraints that a type cannot express, in sentences; one paragraph each. */
  readonly constraints: readonly string[]
}

export type Shape =
  | { readonly kind: 'scalar'; readonly type: 'string' | 'number' | 'boolean' }
  /** Any JSON except null, which `isNullable` covers. */
  | { readonly kind: 'enum'; readonly values: readonly Json[] }
  | { readonly kind: 'intOrString' }
  | { readonly kind: 'list'; readonly items: Schema }
  | { readonly kind: 'map'; readonly values: Schema }
  | { readonly kind: 'object'; readonly fields: readonly Field[]; readonly keepsUnknownFields: boolean }
  | { readonly kind: 'anything' }

export interface Field {
  readonly name: string
  /** Required by the schema. The server checks it after it has set defaults. */
  readonly isRequired: boolean
  readonly schema: Schema
}
