import { ApiObject, App, Chart } from 'cdk8s'
import { Construct, DependencyGroup, type IConstruct } from 'constructs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { waitForReady } from '../../src/synth/field-policies.ts'
import { placesOf } from '../../src/synth/waves.ts'
import { object, refusalOf } from './fixture.ts'

function chartWith(build: (chart: Chart) => void): Chart {
  const chart = new Chart(new App(), 'chart')
  build(chart)
  return chart
}

function placesIn(chart: Chart, implied: readonly { dependent: number; dependency: number }[] = []) {
  const constructs = chart.node.findAll()
  const objects = constructs.filter((construct) => ApiObject.isApiObject(construct))
  const places = placesOf({ constructs, objects, implied })
  return {
    objects,
    places,
    waves: Object.fromEntries(objects.map(({ node }, index) => [node.id, places[index]?.wave])),
  }
}

describe('placesOf', () => {
  it('puts objects without dependencies into wave 0, also parents and children', () => {
    const { waves } = placesIn(chartWith((chart) => object(object(chart, 'outer'), 'inner')))
    expect(waves).toEqual({ outer: 0, inner: 0 })
  })

  it('counts the longest path', () => {
    const { waves } = placesIn(
      chartWith((chart) => {
        const [a, b, c] = ['a', 'b', 'c'].map((id) => object(chart, id))
        c?.node.addDependency(a as IConstruct, b as IConstruct)
        b?.node.addDependency(a as IConstruct)
      }),
    )
    expect(waves).toEqual({ a: 0, b: 1, c: 2 })
  })

  it('applies a dependency between scopes to every object below them', () => {
    const { waves, places } = placesIn(
      chartWith((chart) => {
        const first = new Construct(chart, 'first')
        const second = new Construct(chart, 'second')
        for (const id of ['a', 'b']) object(first, id)
        for (const id of ['c', 'd']) object(new Construct(second, `${id}-scope`), id)
        second.node.addDependency(first)
      }),
    )
    expect(waves).toEqual({ a: 0, b: 0, c: 1, d: 1 })
    expect(places[2]?.dependsOn).toEqual([{ on: [0, 1], waitsForReady: false }])
    expect(places[3]?.dependsOn[0]).toBe(places[2]?.dependsOn[0])
  })

  it('makes all other content of a scope wait for the part on which the scope depends', () => {
    const { waves, places } = placesIn(
      chartWith((chart) => {
        const base = object(new Construct(chart, 'base'), 'base-object')
        object(chart, 'a')
        object(new Construct(chart, 'group'), 'b')
        chart.node.addDependency(base)
      }),
    )
    expect(waves).toEqual({ 'base-object': 0, a: 1, b: 1 })
    expect(places.map(({ dependsOn }) => dependsOn.length)).toEqual([0, 1, 1])
  })

  it('makes a part that depends on its scope wait for all other content of the scope', () => {
    const { waves, places } = placesIn(
      chartWith((chart) => {
        const outer = object(chart, 'outer')
        const last = object(outer, 'last')
        object(outer, 'a')
        last.node.addDependency(outer)
      }),
    )
    expect(waves).toEqual({ outer: 0, a: 0, last: 1 })
    expect(places[1]?.dependsOn).toEqual([{ on: [0, 2], waitsForReady: false }])
  })

  it('reports which dependencies wait for readiness, also through a group', () => {
    const { places } = placesIn(
      chartWith((chart) => {
        const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => object(chart, id))
        if (a === undefined || b === undefined || c === undefined || d === undefined) return
        d.node.addDependency(a)
        waitForReady(d, new DependencyGroup(b, c))
      }),
    )
    expect(places[3]?.dependsOn).toEqual([
      { on: [0], waitsForReady: false },
      { on: [1], waitsForReady: true },
      { on: [2], waitsForReady: true },
    ])
  })

  it('orders by implied dependencies too', () => {
    const chart = chartWith((scope) => ['a', 'b'].map((id) => object(scope, id)))
    const { waves, places } = placesIn(chart, [{ dependent: 0, dependency: 1 }])
    expect(waves).toEqual({ a: 1, b: 0 })
    expect(places[0]?.dependsOn).toEqual([{ on: [1], waitsForReady: false }])
  })

  it('orders nothing by a scope without objects, like cdk8s', () => {
    const { waves, places } = placesIn(
      chartWith((chart) => {
        const empty = new Construct(chart, 'empty')
        const [a, b] = ['a', 'b'].map((id) => object(chart, id))
        empty.node.addDependency(a as IConstruct)
        b?.node.addDependency(empty)
      }),
    )
    expect(waves).toEqual({ a: 0, b: 0 })
    expect(places[1]?.dependsOn).toEqual([])
  })

  it.each([
    {
      cycle: 'of objects',
      says: /^the dependencies form a cycle: (a depends on b, b depends on c, c depends on a|b depends on c, c depends on a, a depends on b|c depends on a, a depends on b, b depends on c); take/,
      build: (chart: Chart) => {
        const [a, b, c] = ['a', 'b', 'c'].map((id) => object(chart, id)) as [ApiObject, ApiObject, ApiObject]
        a.addDependency(b)
        b.addDependency(c)
        c.addDependency(a)
      },
    },
    {
      cycle: 'of a scope and an object in it',
      says: /group depends on x.*x depends on group\/a|x depends on group\/a.*group depends on x/,
      build: (chart: Chart) => {
        const group = new Construct(chart, 'group')
        const a = object(group, 'a')
        const x = object(chart, 'x')
        group.node.addDependency(x)
        x.addDependency(a)
      },
    },
    {
      cycle: 'of one',
      says: /a depends on a/,
      build: (chart: Chart) => {
        const a = object(chart, 'a')
        a.addDependency(a)
      },
    },
  ])('names the constructs on a cycle $cycle', ({ build, says }) => {
    const refusal = refusalOf(() => placesIn(chartWith(build)))
    expect(refusal).toMatchObject({ code: 'CyclicDependency', message: expect.stringMatching(says) })
  })

  it('agrees with an expansion of every pair of objects, on any tree', () => {
    fc.assert(
      fc.property(trees, ({ parents, kinds, edges }) => {
        const chart = chartOf(parents, kinds, edges)
        const expected = wavesByPairs(chart)
        if (expected === undefined) return void expect(refusalOf(() => placesIn(chart)).code).toBe('CyclicDependency')
        const { objects, places } = placesIn(chart)
        expect(places.map(({ wave }) => wave)).toEqual(objects.map((each) => expected.waves.get(each)))
        for (const [index, each] of objects.entries()) {
          const on = new Set(
            places[index]?.dependsOn.flatMap((dependency) => dependency.on.map((other) => objects[other])),
          )
          expect(on).toEqual(expected.before.get(each))
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('orders a thousand objects, each of which depends on those of the layer before', () => {
    const chart = chartWith((scope) => {
      let before: Construct | undefined
      for (let layer = 0; layer < 100; layer++) {
        const group = new Construct(scope, `layer-${layer}`)
        for (let id = 0; id < 10; id++) object(group, `o${id}`)
        if (before !== undefined) group.node.addDependency(before)
        before = group
      }
    })
    const { places } = placesIn(chart)
    expect(places.map(({ wave }) => wave)).toEqual(Array.from({ length: 1000 }, (_, index) => Math.floor(index / 10)))
  })
})

/** A tree by the parent of each construct, the constructs that are objects, and their dependencies. */
const trees = fc.integer({ min: 1, max: 9 }).chain((size) =>
  fc.record({
    parents: fc.tuple(...Array.from({ length: size }, (_, index) => fc.integer({ min: -1, max: index - 1 }))),
    kinds: fc.array(fc.boolean(), { minLength: size, maxLength: size }),
    edges: fc.array(fc.tuple(fc.integer({ min: -1, max: size - 1 }), fc.integer({ min: -1, max: size - 1 })), {
      maxLength: 6,
    }),
  }),
)

function chartOf(
  parents: readonly number[],
  kinds: readonly boolean[],
  edges: readonly (readonly [number, number])[],
): Chart {
  const chart = new Chart(new App(), 'chart')
  const made: Construct[] = []
  const at = (index: number): Construct => made[index] ?? chart
  for (const [index, parent] of parents.entries()) {
    made.push(kinds[index] ? object(at(parent), `o${index}`) : new Construct(at(parent), `s${index}`))
  }
  for (const [dependent, dependency] of edges) at(dependent).node.addDependency(at(dependency))
  return chart
}

/** The definition, by pairs: undefined if there is a cycle. */
function wavesByPairs(chart: Chart) {
  const objects = objectsBelow(chart)
  const before = new Map<IConstruct, Set<IConstruct>>(objects.map((each) => [each, new Set()]))
  for (const scope of chart.node.findAll()) {
    for (const target of scope.node.dependencies) {
      for (const [dependent, dependency] of pairsOf(scope, target)) before.get(dependent)?.add(dependency)
    }
  }
  const waves = new Map<IConstruct, number>()
  for (let round = 0; round <= objects.length; round++) {
    for (const each of objects) {
      const known = [...(before.get(each) ?? [])].map((other) => waves.get(other) ?? Number.NaN)
      const wave = Math.max(0, ...known.map((other) => other + 1))
      if (!waves.has(each) && !Number.isNaN(wave)) waves.set(each, wave)
    }
  }
  return waves.size === objects.length ? { waves, before } : undefined
}

/** Every object of the scope with every object of the target, except those in both because one contains the other. */
function pairsOf(scope: IConstruct, target: IConstruct): [IConstruct, IConstruct][] {
  const [dependents, dependencies] = [new Set(objectsBelow(scope)), new Set(objectsBelow(target))]
  if (scope === target) return [...dependents].map((each) => [each, each])
  const inner = target.node.scopes.includes(scope) ? dependencies : dependents
  const isOverlap = target.node.scopes.includes(scope) || scope.node.scopes.includes(target)
  const pairs = [...dependents].flatMap((dependent) =>
    [...dependencies].map((dependency): [ApiObject, ApiObject] => [dependent, dependency]),
  )
  return pairs.filter(([dependent, dependency]) => !isOverlap || inner.has(dependent) !== inner.has(dependency))
}

function objectsBelow(scope: IConstruct): ApiObject[] {
  return scope.node.findAll().filter((construct) => ApiObject.isApiObject(construct))
}
