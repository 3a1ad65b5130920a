// The comparison with recorded responses of a real API server. server-rewrites.real.test.ts checks that they are still
// current; run it with `-u` to record them again.
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
  return JSON.parse(readFileSync(recordedFile(odd), 'utf8')) as LiveObject // The file has a server's response.
}

describe('after an apply, with the response of a real API server', () => {
  it.each(oddObjects)('finds no change for $name', (odd) => {
    expect(findings(compare({ desired: normalize(odd.desired), live: recorded(odd), manager }))).toEqual([])
  })

  it.each(oddObjects)('finds exactly the edited fields in $name', (odd) => {
    const found = findings(compare({ desired: normalize(odd.edited), live: recorded(odd), manager }))
    expect(found.sort()).toEqual([...odd.paths].sort())
  })

  it.each(oddObjects)('does not modify $name', (odd) => {
    const desired = normalize(odd.desired)
    const live = recorded(odd)
    const before = JSON.stringify([odd.desired, desired, live])
    compare({ desired, live, manager })
    expect(JSON.stringify([odd.desired, desired, live])).toBe(before)
  })
})
