// Tests of the suite itself: every behaviour has a unique name, and every skip names a behaviour and its reason.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { areas } from './areas.ts'
import { skips } from './skips.ts'

const names = areas.flatMap(({ name, behaviours }) => behaviours.map(({ sentence }) => `${name}: ${sentence}`))
const deviations: unknown = parse(readFileSync(new URL('../../src/apiserver/deviations.yaml', import.meta.url), 'utf8'))

describe('the behaviour suite', () => {
  it('gives every behaviour a unique name', () => {
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it('skips only existing behaviours, once, with a reason', () => {
    const known = new Set(names)
    expect(skips.filter(({ behaviour }) => !known.has(behaviour))).toEqual([])
    const keys = skips.map(({ server, behaviour }) => `${server} ${behaviour}`)
    expect(keys).toEqual([...new Set(keys)])
    expect(skips.filter(({ reason }) => reason.trim() === '')).toEqual([])
  })

  it('lists a deviation for each skip of the embedded server', () => {
    const ids = new Set((deviations as { id: string }[]).map(({ id }) => id)) // Its form is tested next.
    const unlisted = skips.filter(({ server, deviation }) => server === 'embedded' && !ids.has(deviation ?? ''))
    expect(unlisted).toEqual([])
  })
})

describe('deviations.yaml', () => {
  it('has id, area, difference and reason of each deviation', () => {
    expect(Array.isArray(deviations)).toBe(true)
    for (const entry of deviations as Record<string, unknown>[]) {
      expect(Object.keys(entry).sort()).toEqual(['area', 'id', 'what', 'why'])
      expect(entry['id']).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      for (const key of ['area', 'what', 'why']) expect(entry[key]).toMatch(/\S/)
    }
  })

  it('gives every deviation a unique id', () => {
    const ids = (deviations as { id: string }[]).map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)])
  })
})
