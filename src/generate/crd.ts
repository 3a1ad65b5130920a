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
  readonly description: string
  /** Absent where the kind has none. */
  readonly spec?: Schema
  readonly status?: Schema
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
  | { readonly kind: 'enum'; readonly values: readonly (string | number | boolean)[] }
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
