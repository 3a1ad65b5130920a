// Fixed sample of `npm run hostile-input`.
import { describe, expect, it } from 'vitest'
import { loadHostileProperties, runHostile } from './hostile-runner.ts'

const casesEach = 60
const seed = 18
const properties = await loadHostileProperties()

describe('whatever comes in', () => {
  it.each(properties)('$name', (property) => {
    expect(runHostile(property, casesEach, seed).failure).toBeUndefined()
  })
})

describe('a property of hostile inputs', () => {
  it('reports its smallest counterexample when it does not hold', async () => {
    const { default: fc } = await import('fast-check')
    const property = fc.property(fc.nat(), (count) => {
      if (count >= 7) throw new Error('it broke')
    })
    const run = runHostile({ name: 'is below seven', property }, 1_000, seed)
    expect(run.failure).toMatch(/^\[7\]\nError: it broke/)
  })
})
