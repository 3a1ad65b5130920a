// The comparison against recorded answers of a real API server (see server-rewrites.real.test.ts, which checks that they
// are still what a server answers; run it with `-u` to record them anew).
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compare } from '../../src/diff/compare.ts'
import { normalize } from '../../src/diff/normalize.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { findings } from './findings.ts'
import type { OddObject } from './odd-object.ts'
import { oddObjects, recordedFile } from './odd-objects.ts'

const manager = 'konverge'

function recorded(odd: OddObject): LiveObject {
  return JSON.parse(readFileSync(recordedFile(odd), 'utf8')) as LiveObject // The file is a server's answer.
}

describe('after an apply, by what a real API server answered', () => {
  it.each(oddObjects)('finds nothing to do for $name', (odd) => {
    expect(findings(compare({ desired: normalize(odd.desired), live: recorded(odd), manager }))).toEqual([])
  })

  it.each(oddObjects)('finds exactly what was edited in $name', (odd) => {
    const found = findings(compare({ desired: normalize(odd.edited), live: recorded(odd), manager }))
    expect(found.sort()).toEqual([...odd.paths].sort())
  })

  it.each(oddObjects)('changes neither side of $name', (odd) => {
    const desired = normalize(odd.desired)
    const live = recorded(odd)
    const before = JSON.stringify([odd.desired, desired, live])
    compare({ desired, live, manager })
    expect(JSON.stringify([odd.desired, desired, live])).toBe(before)
  })
})
