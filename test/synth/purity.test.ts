import type { Chart } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { waitForReady } from '../../src/synth/field-policies.ts'
import { assertPure } from '../../src/synth/purity.ts'
import { synthesize } from '../../src/synth/synth.ts'
import { inputOf, object, parent, refusalOf } from './fixture.ts'

describe('assertPure', () => {
  it('returns the set of a pure build', () => {
    const input = inputOf((chart) => object(chart, 'a'))
    expect(assertPure(input)).toEqual(synthesize(input))
  })

  const counted = (build: (chart: Chart, run: number) => void) => {
    let run = 0
    return (chart: Chart) => build(chart, run++)
  }

  it.each([
    {
      differing: 'a field',
      path: '/ConfigMap a/object/data/run',
      build: counted((chart, run) => object(chart, 'a', { data: { run: `${run}` } })),
    },
    {
      differing: 'an item of a list',
      path: '/ConfigMap a/object/data/1',
      build: counted((chart, run) => object(chart, 'a', { data: [0, run] })),
    },
    {
      differing: 'one more object',
      path: '/ConfigMap b',
      build: counted((chart, run) => (run === 0 ? object(chart, 'a') : [object(chart, 'a'), object(chart, 'b')])),
    },
    {
      differing: 'a construct id',
      path: '/ConfigMap a/constructPath',
      build: counted((chart, run) => object(chart, `x${run}`, { metadata: { name: 'a' } })),
    },
    {
      differing: 'a gate',
      path: '/ConfigMap b/dependsOn/0/waitsForReady',
      build: counted((chart, run) => {
        const [a, b] = [object(chart, 'a'), object(chart, 'b')]
        if (run === 0) b.addDependency(a)
        else waitForReady(b, a)
      }),
    },
  ])('names $differing that differs', ({ build, path }) => {
    const refusal = refusalOf(() => assertPure(inputOf(build)))
    expect(refusal).toMatchObject({ code: 'ImpureBuild', message: expect.stringContaining(` ${path} in two runs`) })
  })

  it('reports a change of the resource itself', () => {
    const mutable = structuredClone(parent)
    const input = inputOf(() => void Object.assign(mutable.spec as object, { replicas: 9 }), { parent: mutable })
    expect(refusalOf(() => assertPure(input))).toMatchObject({
      code: 'ImpureBuild',
      message: expect.stringContaining('/spec/replicas'),
    })
  })
})
