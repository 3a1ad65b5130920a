// Rollback of an upgrade that fails permanently at one of its steps. Invariant: applications write to the source server
// again, and nothing of the upgrade remains.
// The faults are real actions of users. All upgrades run in one Database: each starts where the last one was rolled
// back.
import { describe, expect, it } from 'vitest'
import { findCondition } from '../../../../src/index.ts'
import { waitUntil } from '../../../control-plane/wait-until.ts'
import { keepsBackups, patienceMs, UpgradeStory, versions } from './upgrade-story.ts'

const [from, to] = versions()

interface Failure {
  readonly step: string
  /** Expected text of the condition. */
  readonly says: string
  /** Value of `spec.upgrade`. */
  readonly upgrade?: object
  /** Runs before the version is raised. */
  readonly before?: (story: UpgradeStory) => Promise<unknown>
  /** Runs when all is ready, before the write freeze. Without it the cutover is automatic. */
  readonly atCutover?: (story: UpgradeStory, cutOver: () => Promise<void>) => Promise<unknown>
  /** SQL that a user runs before another upgrade. */
  readonly after?: string
}

const wrongAnswer: Failure = {
  step: 'SwitchTraffic',
  says: 'did not answer "2" at the new side',
  upgrade: { verifyQueries: [{ sql: 'SELECT count(*) FROM public.orders WHERE n = 1', expect: '2' }] },
}

/** The schema can be restored, and the rows cannot: a check reads rows that are restored later. */
const unrestorable: Pick<Failure, 'before' | 'after'> = {
  before: (story) =>
    story.byHand(`CREATE TABLE public.z_kinds (kind text PRIMARY KEY); INSERT INTO z_kinds VALUES ('book');
      CREATE FUNCTION public.is_kind(text) RETURNS boolean LANGUAGE sql AS 'SELECT EXISTS (SELECT FROM public.z_kinds WHERE kind = $1)';
      CREATE TABLE public.a_items (id int PRIMARY KEY, kind text CHECK (public.is_kind(kind))); INSERT INTO a_items VALUES (1, 'book')`),
  after: 'DROP TABLE a_items; DROP FUNCTION is_kind; DROP TABLE z_kinds',
}

const byReplication: readonly Failure[] = [
  { step: 'CreateSnapshot', says: 'RestoreFailed', upgrade: { snapshot: 'Take' }, ...unrestorable },
  {
    step: 'ProvisionNew',
    says: 'has what is not moved with it: publication theirs',
    before: (story) => story.byHand('CREATE PUBLICATION theirs FOR TABLE orders'),
    after: 'DROP PUBLICATION theirs',
  },
  {
    step: 'Replicate',
    says: 'public.nameless of the source cannot tell rows apart',
    before: (story) => story.byHand('CREATE TABLE nameless (what text)'),
    after: 'DROP TABLE nameless',
  },
  {
    step: 'ScaleDownOld',
    says: 'late may log in since the freeze began',
    atCutover: letInMeanwhile,
    after: 'DROP OWNED BY late; DROP ROLE late',
  },
  {
    step: 'MigrateData',
    says: 'the new side is another than the old one: ',
    atCutover: async (story, cutOver) => {
      await story.byHand("INSERT INTO orders (id, n, what) VALUES (1000000000, 0, 'of nobody')", `shop-pg${to}`)
      await cutOver()
    },
  },
  wrongAnswer,
]

const byDump: readonly Failure[] = [
  { step: 'MigrateData', says: 'violates check constraint', ...unrestorable },
  wrongAnswer,
]

describe.skipIf(from === to)(`a Database that cannot be raised from ${from} to ${to}`, () => {
  it.each([
    { method: 'Replication', failures: byReplication },
    { method: 'Dump', failures: byDump },
  ])('continues on the source server when $method fails at any step', { timeout: 900_000 }, async (told) => {
    const story = await UpgradeStory.start({ upgrade: { snapshot: 'Skip', method: told.method }, ...keepsBackups })
    for (const failure of told.failures) {
      const message = await failedBy(story, failure, told.method)
      expect(message).toContain(`${failure.step} failed: `)
      expect(message).toContain(failure.says)
      await story.apply({ version: from })
      if (failure.after !== undefined) await story.byHand(failure.after)
    }
    story.client.stop()
    expect(await story.lostRows()).toEqual([])
  })
})

/** Returns the message of the condition after the rollback. */
async function failedBy(story: UpgradeStory, failure: Failure, method: string): Promise<string> {
  const { step, before, atCutover } = failure
  await before?.(story)
  const cutover = atCutover === undefined ? 'Automatic' : 'Manual'
  const upgrade = { snapshot: 'Skip', cutover, method, ...failure.upgrade, retry: `for-${step.toLowerCase()}` }
  await story.apply({ version: to, upgrade })
  if (atCutover !== undefined) {
    await story.upgrade('AwaitingCutover')
    await atCutover(story, () => story.apply({}, { 'data.konverge.dev/cutover': `${to}-${upgrade.retry}` }))
  }
  await story.until(`taken back from ${step}`, ({ status }) => {
    const { upgrade: last } = status as { upgrade?: { id: string; state: string } }
    return last?.id === `${from}-to-${to}-${upgrade.retry}` && last.state === 'Compensated'
  })
  const { server, conditions } = await story.isBack()
  expect(server).toEqual({ name: 'shop-postgres', version: from })
  const upgraded = findCondition(conditions, 'Upgraded')
  expect(upgraded).toMatchObject({ status: 'False', reason: 'Compensated' })
  return upgraded?.message ?? ''
}

/**
 * An administrator creates a login during the write freeze. The freeze waits, because the session locks the list of
 * roles.
 */
async function letInMeanwhile(story: UpgradeStory, cutOver: () => Promise<void>): Promise<void> {
  const administrator = await story.session()
  await administrator.query('BEGIN; LOCK TABLE pg_authid IN SHARE MODE')
  await cutOver()
  const wait = { what: 'writers to be turned away', limitMs: patienceMs }
  await waitUntil(wait, async () => {
    const { rows } = await administrator.query(
      "SELECT FROM pg_locks WHERE relation = 'pg_authid'::regclass AND NOT granted",
    )
    return rows.length > 0
  })
  await administrator.query('CREATE ROLE late LOGIN; GRANT CONNECT ON DATABASE shop TO late; COMMIT')
}
