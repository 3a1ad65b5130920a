// Extra privileges that the operator revokes whatever the drift policy is: those on its own schema.
import { expect, it } from 'vitest'
import { grantDifferences } from '../../../src/controllers/database-user/grant-plan.ts'
import type { GrantChange } from '../../../src/controllers/engines/grant.ts'

const revoke = (more: Partial<GrantChange>): GrantChange => ({
  ...{ kind: 'revoke', role: 'app', on: 'Table', schema: 'public', table: '', names: ['t'], privileges: ['DELETE'] },
  ...more,
})
const plan = { missing: [], notFound: [], desired: 0, held: 0, isWished: false }
const taken = (...extra: readonly GrantChange[]) =>
  grantDifferences('app', 'shop', { ...plan, extra }).map(
    ({ reason, isWished = false, isReported = false, steps }) => ({
      reason,
      isAlways: isWished && isReported,
      changes: steps.flatMap(({ changes }) => changes),
    }),
  )

it('a plan revokes privileges on applied markers under any drift policy, and no others', () => {
  const marks = revoke({ schema: '_konverge', names: ['migration_steps'] })
  const own = revoke({})
  expect(taken(own, marks)).toEqual([
    { reason: 'GrantExtra', isAlways: true, changes: [marks] },
    { reason: 'GrantExtra', isAlways: false, changes: [own] },
  ])
})

it('a plan distinguishes the marker schema from schemas with the same privileges', () => {
  const schemas = { on: 'Schema', schema: '' } as const
  expect(taken(revoke({ ...schemas, names: ['_konverge', 'app'] }))).toEqual([
    { reason: 'GrantExtra', isAlways: true, changes: [revoke({ ...schemas, names: ['_konverge'] })] },
    { reason: 'GrantExtra', isAlways: false, changes: [revoke({ ...schemas, names: ['app'] })] },
  ])
})

it('a plan leaves privileges on schemas of PostgreSQL to the drift policy', () => {
  expect(taken(revoke({ schema: 'pg_catalog' }))).toMatchObject([{ isAlways: false }])
})
