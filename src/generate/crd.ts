// What does a CustomResourceDefinition say about the shape of its objects? The part that types are written from; anything
// else in it (columns, subresources, names for people) is the API server's business.
import type { Json } from '../base/json.ts'

export interface Crd {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly scope: 'Namespaced' | 'Cluster'
  /** In the order of the definition, those that are not served included. */
  readonly versions: readonly CrdVersion[]
}

export interface CrdVersion {
  readonly name: string
  readonly isServed: boolean
  /** The one version in which objects are kept. */
  readonly isStored: boolean
  /** Where its schema stands in the definition: `spec.versions[0].schema.openAPIV3Schema`. */
  readonly path: string
  readonly description: string
  /** Of the root, without apiVersion, kind and metadata, which every object has. */
  readonly fields: readonly Field[]
}

/** The versions that are served: the stored one first if it is among them, for it bears the kind's plain name. */
export function servedVersions({ versions }: Crd): readonly CrdVersion[] {
  const served = versions.filter(({ isServed }) => isServed)
  return [...served.filter(({ isStored }) => isStored), ...served.filter(({ isStored }) => !isStored)]
}

/** The schema of one value: its shape, and what is said about it besides. */
export interface Schema {
  readonly shape: Shape
  readonly isNullable: boolean
  readonly description: string
  /** What the server puts in where the field is left out. */
  readonly defaultValue?: Json
  /** Demands that a type cannot express, in sentences; one paragraph each. */
  readonly constraints: readonly string[]
}

export type Shape =
  | { readonly kind: 'scalar'; readonly type: 'string' | 'number' | 'boolean' }
  /** Any JSON, null apart: that is said by `isNullable`. */
  | { readonly kind: 'enum'; readonly values: readonly Json[] }
  | { readonly kind: 'intOrString' }
  | { readonly kind: 'list'; readonly items: Schema }
  | { readonly kind: 'map'; readonly values: Schema }
  | { readonly kind: 'object'; readonly fields: readonly Field[]; readonly keepsUnknownFields: boolean }
  | { readonly kind: 'anything' }

export interface Field {
  readonly name: string
  /** Required by the schema. The server checks it after it has put in defaults. */
  readonly isRequired: boolean
  readonly schema: Schema
}
