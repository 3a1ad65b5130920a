// Plain Kubernetes objects beside constructs. Invariant: each becomes an ApiObject of the chart, so the rules of
// constructs apply to its name, policies, dependencies and checks.
import { ApiObject } from 'cdk8s'
import { Construct, type IConstruct } from 'constructs'
import { isJsonObject } from '../base/json.ts'
import { apiVersionOf, type Resource } from '../object/resource.ts'
import { SynthError } from './synth-errors.ts'

/** Metadata that an author declares. Without `name` the object is called `<parent>-<kind>`. */
export interface PlainMetadata {
  readonly name?: string
  /**
   * Prefix of a generated name. The name is the same in every reconcile, and changes with the annotation
   * `konverge.dev/name-key`.
   */
  readonly generateName?: string
  /** Default: the namespace of the resource. */
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
}

/** A Kubernetes object in wire shape without its type, and without fields that the API server or konverge writes. */
export interface PlainFields<Spec = unknown> {
  readonly metadata?: PlainMetadata
  readonly spec?: Spec
  readonly [field: string]: unknown
}

/** A Kubernetes object in wire shape, with its type. */
export interface PlainObject<Spec = unknown> extends PlainFields<Spec> {
  readonly apiVersion: string
  readonly kind: string
}

/** Return value of `desired`. Constructs in it count once, because their chart already contains them. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that only makes constructs returns nothing.
export type Declared = void | IConstruct | readonly (PlainObject | IConstruct)[]

/**
 * Adds the plain objects that `desired` returned. Throws a SynthError of code `InvalidReturn` for any other return
 * value.
 */
export function addDeclared(chart: Construct, declared: Declared): void {
  if (declared === undefined || Construct.isConstruct(declared)) return
  if (!Array.isArray(declared)) throw invalidReturn(declared)
  for (const item of declared) if (!Construct.isConstruct(item)) addObject(chart, item)
}

/** A wrong return value must not count as an empty declaration: that would prune all children. */
function invalidReturn(returned: unknown): SynthError {
  const isSingle = isJsonObject(returned) && typeof returned.kind === 'string'
  const what = isSingle ? 'one object that is in no list' : describeValue(returned)
  return new SynthError({
    code: 'InvalidReturn',
    message: `desired returned ${what}; return a list of objects, or nothing where constructs are in the chart`,
  })
}

function describeValue(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return `a ${typeof value}`
  return `an instance of ${value.constructor?.name || 'a class'}`
}

/**
 * Returns a plain object of the kind of a descriptor. The compiler checks `spec` if the descriptor has types; those of
 * built-in kinds have none.
 *
 * @example objectOf(Theme, { metadata: { name: 'dark' }, spec: { background: '#000' } })
 */
export function objectOf<Spec>(resource: Resource<Spec>, fields: PlainFields<Spec>): PlainObject<Spec> {
  return { ...fields, apiVersion: apiVersionOf(resource), kind: resource.kind }
}

/**
 * Adds a plain object to a chart or construct. Returns its construct, for policies and dependencies. Throws a
 * SynthError of code `UnknownKind` for a value without apiVersion or kind.
 *
 * @example waitForReady(addObject(chart, deployment), addObject(chart, job))
 */
export function addObject(scope: Construct, object: PlainObject): ApiObject {
  assertPlain(object)
  // cdk8s types it with mutable lists; it changes none of them.
  const props = object as ConstructorParameters<typeof ApiObject>[2]
  return new ApiObject(scope, freeId(scope, idOf(object)), props)
}

function assertPlain(object: PlainObject): void {
  const { apiVersion, kind } = object ?? {}
  if (typeof apiVersion === 'string' && typeof kind === 'string') return
  throw new SynthError({
    code: 'UnknownKind',
    message: 'desired declares an object without apiVersion or kind; set both',
  })
}

/** Name of an object in messages. */
function idOf({ kind, metadata }: PlainObject): string {
  const name = metadata?.name ?? metadata?.generateName
  return name === undefined ? kind : `${kind}-${name}`
}

function freeId({ node }: Construct, id: string): string {
  let free = id
  for (let count = 2; node.tryFindChild(free) !== undefined; count++) free = `${id}-${count}`
  return free
}
