// List of attempts in docs/security.md. Invariant: it equals the attempts that the suite runs; `UPDATE_ATTEMPTS=1`
// rewrites it.
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type AttackerName, attackers } from './attacker.ts'
import { boundedAttempts, localAddressAttempt } from './attempts/bounded-operator.ts'
import { clusterAttempts } from './attempts/cluster-attempts.ts'
import { hostileStoreAttempts } from './attempts/hostile-store.ts'
import { machineUserAttempts } from './attempts/machine-user.ts'
import { metricsAttempts } from './attempts/metrics.ts'
import { slowReviewAttempts } from './attempts/slow-review.ts'
import { webPageAttempts } from './attempts/web-page.ts'
import { pending } from './pending.ts'

const page = new URL('../../docs/security.md', import.meta.url)
const [begin, end] = ['<!-- attempts: begin -->', '<!-- attempts: end -->']

const rows: readonly { readonly attacker: AttackerName; readonly does: string; readonly sentence: string }[] = [
  ...clusterAttempts.map(({ attacker, does, outcome: { sentence } }) => ({ attacker, does, sentence })),
  ...slowReviewAttempts,
  ...boundedAttempts,
  localAddressAttempt,
  ...hostileStoreAttempts,
  ...metricsAttempts,
  ...webPageAttempts,
  ...Object.values(machineUserAttempts),
]

/** Returns a list for each attacker: each outcome once, followed by its attempts. */
function listOf(): string {
  return Object.entries(attackers)
    .map(([name, { rights }]) => {
      const own = rows.filter(({ attacker }) => attacker === name)
      const title = `**${name[0]?.toUpperCase()}${name.slice(1)}**: ${rights}. ${own.length} attempts.`
      const groups = [...Map.groupBy(own, ({ sentence }) => sentence)].map(([sentence, group]) =>
        [`- ${sentence}`, ...group.map(({ does }) => `  - ${does}`)].join('\n'),
      )
      return [title, '', ...groups].join('\n')
    })
    .join('\n\n')
}

describe('the attempts of the adversary suite', () => {
  it('equal the list in docs/security.md', () => {
    const text = readFileSync(page, 'utf8')
    const [before = '', rest = ''] = text.split(begin)
    const after = rest.split(end)[1] ?? ''
    const wanted = `${before}${begin}\n\n${listOf()}\n\n${end}${after}`
    if (process.env['UPDATE_ATTEMPTS'] === '1') writeFileSync(page, wanted)
    expect(readFileSync(page, 'utf8')).toBe(wanted)
  })

  it('are at least 120 with unique names, from every attacker', () => {
    const names = rows.map(({ attacker, does }) => `${attacker} ${does}`)
    expect(names.length).toBeGreaterThanOrEqual(120)
    expect(names.length).toBe(new Set(names).size)
    expect([...new Set(rows.map(({ attacker }) => attacker))].sort()).toEqual(Object.keys(attackers).sort())
  })

  it('have a name in the suite when pending.ts skips them', () => {
    const names = rows.map(({ attacker, does }) => `${attacker} ${does}`)
    expect(pending.filter(({ attempt }) => !names.includes(attempt))).toEqual([])
  })
})
