// Assigns objects to waves: longest paths over the declared dependencies. A dependency between scopes applies to all
// objects below them. Linear in constructs plus dependencies: a scope has a start and an end in the graph instead of an
// edge for each pair of objects. (cdk8s expands the pairs, then searches them in exponential time.)
//
//   start(scope) → start(child) → object → end(child) → end(scope)      a depends on b:  end(b) → start(a)
import type { IConstruct } from 'constructs'
import { pathOf } from './construct-path.ts'
import type { Dependency } from './desired.ts'
import { readinessGatesOf } from './field-policies.ts'
import { LevelGraph } from './level-graph.ts'
import { ScopeNumbers } from './scope-numbers.ts'
import { SynthError } from './synth-errors.ts'

export interface WavesInput {
  /** A whole tree, parents before children. */
  readonly constructs: readonly IConstruct[]
  /** The constructs to order, in the order of `constructs`. */
  readonly objects: readonly IConstruct[]
  /** Dependencies that follow from the kinds of objects, by index into `objects`. */
  readonly implied: readonly { readonly dependent: number; readonly dependency: number }[]
}

/** Wave and dependencies of an object. The indices in `dependsOn` are into `WavesInput.objects`. */
export interface Place {
  readonly wave: number
  readonly dependsOn: readonly Dependency[]
}

/** A dependency between constructs, by their numbers. */
interface Edge {
  readonly dependent: number
  readonly dependency: number
  readonly waitsForReady: boolean
}

/** Three nodes per construct; only passing an object itself counts as a wave. */
const startOf = (scope: number): number => 3 * scope
const selfOf = (scope: number): number => 3 * scope + 1
const endOf = (scope: number): number => 3 * scope + 2

/**
 * Returns the place of each object, in the order of `objects`. If a scope depends on a construct inside itself, all its
 * other content does. If it depends on an enclosing scope, it waits for all other content there. Such edges cost the
 * width of the scopes between. A dependency of or on a scope without objects orders nothing, as in cdk8s.
 *
 * Throws a SynthError: `CyclicDependency` with the constructs on the cycle, or `DependencyOutside`.
 */
export function placesOf({ constructs, objects, implied }: WavesInput): readonly Place[] {
  const scopes = new ScopeNumbers(constructs, objects)
  const edges = declaredEdges(constructs, scopes)
  const impliedEdges = implied.map(({ dependent, dependency }) => ({
    dependent: scopes.scopeOfObject(dependent),
    dependency: scopes.scopeOfObject(dependency),
    waitsForReady: false,
  }))
  const graph = new LevelGraph<Edge>(constructs.flatMap(() => [0, 1, 0]))
  connectTree(graph, scopes, constructs.length)
  for (const edge of edges) connectScopes(graph, scopes, edge)
  for (const edge of impliedEdges) graph.connect(selfOf(edge.dependency), selfOf(edge.dependent), edge)
  const levels = graph.levels()
  if (levels === undefined) throw cycleFound(graph, constructs)
  const dependencies = objects.map((): Dependency[] => [])
  for (const edge of edges) addDependency(dependencies, scopes, edge)
  for (const { dependent, dependency } of implied)
    dependencies[dependent]?.push({ on: [dependency], waitsForReady: false })
  return dependencies.map((dependsOn, index) => ({ wave: levels[selfOf(scopes.scopeOfObject(index))] ?? 0, dependsOn }))
}

function declaredEdges(constructs: readonly IConstruct[], scopes: ScopeNumbers): readonly Edge[] {
  return constructs.flatMap((construct, dependent) => {
    const targets = new Set(construct.node.dependencies)
    if (targets.size === 0) return []
    const gates = readinessGatesOf(construct)
    return Array.from(targets, (target) => {
      const dependency = scopes.numberOf(target)
      if (dependency !== undefined) return { dependent, dependency, waitsForReady: gates.has(target) }
      const outside = `depends on ${target.node.path}, which is in another tree; depend on constructs of the same chart`
      throw new SynthError({
        code: 'DependencyOutside',
        message: `construct ${pathOf(construct)} ${outside}`,
        constructPath: pathOf(construct),
      })
    })
  })
}

function connectTree(graph: LevelGraph<Edge>, scopes: ScopeNumbers, count: number): void {
  for (let scope = 0; scope < count; scope++) {
    const parent = scopes.parentOf(scope)
    if (parent !== undefined) {
      graph.connect(startOf(parent), startOf(scope))
      graph.connect(endOf(scope), endOf(parent))
    }
    if (scopes.isObject(scope)) {
      graph.connect(startOf(scope), selfOf(scope))
      graph.connect(selfOf(scope), endOf(scope))
    }
  }
}

function connectScopes(graph: LevelGraph<Edge>, scopes: ScopeNumbers, edge: Edge): void {
  const { dependent, dependency } = edge
  if (dependent !== dependency && scopes.contains(dependent, dependency)) {
    const { alone, whole } = scopes.around(dependent, dependency)
    for (const scope of alone) graph.connect(endOf(dependency), selfOf(scope), edge)
    for (const scope of whole) graph.connect(endOf(dependency), startOf(scope), edge)
  } else if (dependent !== dependency && scopes.contains(dependency, dependent)) {
    const { alone, whole } = scopes.around(dependency, dependent)
    for (const scope of alone) graph.connect(selfOf(scope), startOf(dependent), edge)
    for (const scope of whole) graph.connect(endOf(scope), startOf(dependent), edge)
  } else {
    graph.connect(endOf(dependency), startOf(dependent), edge)
  }
}

/** Adds one dependency to every object that it applies to. Bounded by the size of the result. */
function addDependency(dependencies: readonly Dependency[][], scopes: ScopeNumbers, edge: Edge): void {
  const { dependent, dependency, waitsForReady } = edge
  const isIn = (scope: number, object: number): boolean => scopes.contains(scope, scopes.scopeOfObject(object))
  const isInside = scopes.contains(dependency, dependent)
  const below = scopes.objectsIn(dependency)
  const on = isInside ? below.filter((object) => !isIn(dependent, object)) : below
  if (on.length === 0) return
  const shared: Dependency = { on, waitsForReady }
  for (const object of scopes.objectsIn(dependent)) {
    if (isInside || !isIn(dependency, object)) dependencies[object]?.push(shared)
  }
}

function cycleFound(graph: LevelGraph<Edge>, constructs: readonly IConstruct[]): SynthError {
  const nameOf = (number: number): string => {
    const construct = constructs[number]
    return construct === undefined ? '?' : pathOf(construct)
  }
  // Against the direction of the graph, so that each line continues where the previous one ended.
  const links = graph
    .cycle()
    .toReversed()
    .map(({ dependent, dependency }) => `${nameOf(dependent)} depends on ${nameOf(dependency)}`)
  return new SynthError({
    code: 'CyclicDependency',
    message: `the dependencies form a cycle: ${links.join(', ')}; take one of them away`,
  })
}
