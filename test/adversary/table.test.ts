// The table of attempts in docs/security.md is the list that the suite runs. `UPDATE_ATTEMPTS=1` writes it again.
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

function tableOf(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  return Object.entries(attackers)
    .map(([name, { rights }]) => {
      const own = rows.filter(({ attacker }) => attacker === name)
      const lines = own.map(({ does, sentence }) => `| ${cell(does)} | ${cell(sentence)} |`)
      const title = `**${name[0]?.toUpperCase()}${name.slice(1)}**: ${rights}. ${own.length} attempts.`
      return [title, '', '| attempt | what happens |', '| --- | --- |', ...lines].join('\n')
    })
    .join('\n\n')
}

describe('the attempts of the adversary suite', () => {
  it('stand in docs/security.md as they are run', () => {
    const text = readFileSync(page, 'utf8')
    const [before = '', rest = ''] = text.split(begin)
    const after = rest.split(end)[1] ?? ''
    const wanted = `${before}${begin}\n\n${tableOf()}\n\n${end}${after}`
    if (process.env['UPDATE_ATTEMPTS'] === '1') writeFileSync(page, wanted)
    expect(readFileSync(page, 'utf8')).toBe(wanted)
  })

  it('are at least 120, each with a name of its own, from every attacker', () => {
    const names = rows.map(({ attacker, does }) => `${attacker} ${does}`)
    expect(names.length).toBeGreaterThanOrEqual(120)
    expect(names.length).toBe(new Set(names).size)
    expect([...new Set(rows.map(({ attacker }) => attacker))].sort()).toEqual(Object.keys(attackers).sort())
  })

  it('are skipped only by names that exist', () => {
    const names = rows.map(({ attacker, does }) => `${attacker} ${does}`)
    expect(pending.filter(({ attempt }) => !names.includes(attempt))).toEqual([])
  })
})
