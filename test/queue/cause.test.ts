import { describe, expect, it } from 'vitest'
import { type CauseList, maxCauses, noCauses, withCause, withCauses } from '../../src/queue/cause.ts'

const numbered = (count: number): CauseList =>
  Array.from({ length: count }, (_, index) => ({ kind: 'child', detail: `${index}` }) as const).reduce(
    withCause,
    noCauses,
  )

describe('a list of causes', () => {
  it('keeps each cause once, in the order of arrival', () => {
    const list = withCause(withCause(withCause(noCauses, { kind: 'self' }), { kind: 'child', detail: 'a' }), {
      kind: 'self',
    })
    expect(list).toEqual({ causes: [{ kind: 'self' }, { kind: 'child', detail: 'a' }], droppedCauses: 0 })
  })

  it('distinguishes causes of one kind by their detail', () => {
    expect(numbered(3).causes).toHaveLength(3)
  })

  it('counts causes beyond its bound', () => {
    const list = numbered(maxCauses + 5)
    expect([list.causes.length, list.droppedCauses]).toEqual([maxCauses, 5])
    expect(list.causes[0]).toEqual({ kind: 'child', detail: '0' })
  })

  it('does not count a known cause as dropped', () => {
    const full = numbered(maxCauses)
    expect(withCause(full, { kind: 'child', detail: '3' })).toBe(full)
  })

  it('is merged with another list, its dropped causes included', () => {
    expect(withCauses(numbered(2), numbered(maxCauses + 1))).toMatchObject({ droppedCauses: 1 })
    expect(withCauses(numbered(maxCauses + 2), { causes: [{ kind: 'timer' }], droppedCauses: 3 }).droppedCauses).toBe(6)
  })
})
