// Meaning of each RDS instance state, as a table.
import { describe, expect, it } from 'vitest'
import { instanceState } from '../../../../src/controllers/database/rds/instance-state.ts'

const rows = {
  serving: ['available', 'storage-full', 'storage-optimization'],
  busy: [
    'backing-up',
    'configuring-activity-stream',
    'configuring-associated-roles',
    'configuring-enhanced-monitoring',
    'configuring-iam-database-auth',
    'configuring-log-exports',
    'modifying',
    'resetting-master-credentials',
    'storage-config-upgrade',
    'storage-initialization',
    'validating-configuration',
  ],
  working: [
    'backtracking',
    'converting-to-vpc',
    'creating',
    'maintenance',
    'moving-to-vpc',
    'rebooting',
    'renaming',
    'starting',
    'upgrading',
    'a-word-of-next-year',
  ],
  deleting: ['delete-precheck', 'deleted', 'deleting'],
  mendable: [
    'automation-paused',
    'inaccessible-encryption-credentials-recoverable',
    'incompatible-credentials',
    'incompatible-option-group',
    'incompatible-parameters',
    'insufficient-capacity',
    'stopped',
    'stopping',
    'unsupported-configuration',
  ],
  lost: [
    'failed',
    'inaccessible-encryption-credentials',
    'incompatible-create',
    'incompatible-network',
    'incompatible-restore',
    'restore-error',
  ],
} as const

describe('the state of an instance', () => {
  it.each(Object.entries(rows).flatMap(([kind, words]) => words.map((word) => [word, kind])))(
    '%s is %s',
    (word, kind) => {
      const state = instanceState(word)
      switch (state.kind) {
        case 'serving':
          return expect(state.mayModify ? 'serving' : 'busy').toBe(kind)
        case 'broken':
          return expect(state.isTerminal ? 'lost' : 'mendable').toBe(kind)
        default:
          return expect(state.kind).toBe(kind)
      }
    },
  )

  it.each([...rows.mendable, ...rows.lost, 'storage-full'])('%s has a reason and advice', (word) => {
    const state = instanceState(word)
    const trouble = state.kind === 'broken' || state.kind === 'serving' ? state.trouble : undefined
    expect(trouble?.reason).toMatch(/^[A-Z][A-Za-z]+$/)
    expect(trouble?.advice).toMatch(/^([a-z]|RDS|AWS)/)
  })
})
