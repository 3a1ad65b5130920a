// Properties of the comparison over objects of random shape and a simulated apply.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compare } from '../../src/diff/compare.ts'
import { renderPath } from '../../src/diff/field-path.ts'
import { findings } from './findings.ts'
import { desiredOf, edits, manager, simulateApply, specs } from './simulated-apply.ts'

describe('objects of any shape', () => {
  it('are equal after an apply, with any defaults and fields of other managers', () => {
    fc.assert(
      fc.property(specs, (spec) => {
        expect(compare({ desired: desiredOf(spec), live: simulateApply(spec), manager }).kind).toBe('equal')
      }),
      { numRuns: 500 },
    )
  })

  it('differ at exactly the leaf that drifted', () => {
    fc.assert(
      fc.property(specs, fc.nat(), (spec, choice) => {
        const all = edits(spec)
        const edit = all[choice % Math.max(1, all.length)]
        fc.pre(edit !== undefined)
        const found = findings(compare({ desired: desiredOf(spec), live: simulateApply(spec, edit.node), manager }))
        expect(found).toEqual([renderPath(edit.path)])
      }),
      { numRuns: 1000 },
    )
  })

  it('differ at exactly the leaf whose declaration changed', () => {
    fc.assert(
      fc.property(specs, fc.nat(), (spec, choice) => {
        const all = edits(spec)
        const edit = all[choice % Math.max(1, all.length)]
        fc.pre(edit !== undefined)
        const found = findings(compare({ desired: desiredOf(edit.node), live: simulateApply(spec), manager }))
        expect(found).toEqual([renderPath(edit.path)])
      }),
      { numRuns: 1000 },
    )
  })

  it('differ only below declared or owned fields', () => {
    fc.assert(
      fc.property(specs, specs, (desired, owned) => {
        const comparison = compare({ desired: desiredOf(desired), live: simulateApply(owned), manager })
        const found = comparison.kind === 'different' ? findings(comparison) : []
        expect(found.filter((path) => /theirs|status|labels/.test(path))).toEqual([])
      }),
    )
  })

  it('are not modified by the comparison', () => {
    fc.assert(
      fc.property(specs, specs, (desired, owned) => {
        const pair = [desiredOf(desired), simulateApply(owned)] as const
        const before = JSON.stringify(pair)
        compare({ desired: pair[0], live: pair[1], manager })
        expect(JSON.stringify(pair)).toBe(before)
      }),
    )
  })
})
