// Numbers constructs in tree order, parents first. Everything below a scope is one interval, so containment is a
// comparison.
import type { IConstruct } from 'constructs'
import { assert } from '../base/assert.ts'

export class ScopeNumbers {
  readonly #numbers: ReadonlyMap<IConstruct, number>
  readonly #parents: readonly (number | undefined)[]
  readonly #children: readonly (readonly number[])[]
  /** One past the last number below each scope. */
  readonly #ends: readonly number[]
  readonly #objectScopes: readonly number[]
  /** Number of objects with a lower number. */
  readonly #objectsBefore: readonly number[]
  readonly #objectsIn = new Map<number, readonly number[]>()

  /** `constructs` is a whole tree, parents before children; `objects` are some of them, in the same order. */
  constructor(constructs: readonly IConstruct[], objects: readonly IConstruct[]) {
    const numbers = new Map([...constructs.entries()].map(([number, construct]) => [construct, number]))
    const parents = constructs.map(({ node }) => (node.scope === undefined ? undefined : numbers.get(node.scope)))
    const children = constructs.map((): number[] => [])
    const ends = constructs.map((_, number) => number + 1)
    for (let scope = constructs.length - 1; scope > 0; scope--) {
      const parent = parents[scope]
      assert(parent !== undefined && parent < scope, 'constructs come as one tree, parents before children')
      children[parent]?.push(scope)
      ends[parent] = Math.max(ends[parent] ?? 0, ends[scope] ?? 0)
    }
    const objectSet = new Set(objects)
    const before = [0]
    for (const [number, construct] of constructs.entries())
      before.push((before[number] ?? 0) + (objectSet.has(construct) ? 1 : 0))
    this.#numbers = numbers
    this.#parents = parents
    this.#children = children
    this.#ends = ends
    this.#objectsBefore = before
    this.#objectScopes = objects.map((object) => numbers.get(object) ?? -1)
  }

  /** Undefined for a construct of another tree. */
  numberOf(construct: IConstruct): number | undefined {
    return this.#numbers.get(construct)
  }

  parentOf(scope: number): number | undefined {
    return this.#parents[scope]
  }

  isObject(scope: number): boolean {
    return this.#objectsBefore[scope + 1] !== this.#objectsBefore[scope]
  }

  scopeOfObject(object: number): number {
    const scope = this.#objectScopes[object]
    assert(scope !== undefined && scope >= 0, 'every object is a construct of the tree')
    return scope
  }

  /** True if `inner` is the scope itself or below it. */
  contains(scope: number, inner: number): boolean {
    return inner >= scope && inner < (this.#ends[scope] ?? 0)
  }

  /** Indices of the objects in a scope, including itself, ascending; the same list on every call. */
  objectsIn(scope: number): readonly number[] {
    const known = this.#objectsIn.get(scope)
    if (known !== undefined) return known
    const first = this.#objectsBefore[scope] ?? 0
    const end = this.#objectsBefore[this.#ends[scope] ?? 0] ?? first
    const objects = Object.freeze(Array.from({ length: end - first }, (_, index) => first + index))
    this.#objectsIn.set(scope, objects)
    return objects
  }

  /**
   * Returns the part of `scope` outside `inner`: the scopes on the path down, each alone, and all their other children,
   * whole.
   */
  around(scope: number, inner: number): { readonly alone: readonly number[]; readonly whole: readonly number[] } {
    const alone: number[] = []
    const whole: number[] = []
    for (let way = inner; way !== scope; ) {
      const above = this.#parents[way]
      assert(above !== undefined, 'the inner construct is below the scope')
      if (this.isObject(above)) alone.push(above)
      for (const child of this.#children[above] ?? []) if (child !== way) whole.push(child)
      way = above
    }
    return { alone, whole }
  }
}
