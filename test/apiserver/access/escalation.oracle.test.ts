import fc from 'fast-check'
import { expect, it } from 'vitest'
import { escalationOf } from '../../../src/apiserver/access/escalation.ts'
import { rulesOf } from '../../../src/apiserver/access/policy-rules.ts'
import { ObjectLog } from '../../../src/apiserver/object-log.ts'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { ask } from '../../oracles/oracle.ts'

const some = (...items: readonly string[]) => fc.array(fc.constantFrom(...items), { minLength: 1, maxLength: 3 })
const rule = fc.oneof(
  fc.record({
    verbs: some('get', 'list', 'watch', 'é"', '*'),
    apiGroups: some('', 'apps', '*'),
    resources: some('pods', 'pods/log', '*/log', 'pods/a/b', '*'),
    resourceNames: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  }),
  fc.record({ verbs: some('get', 'post', '*'), nonResourceURLs: some('/logs', '/logs/a', '/logs/*', '/l**', '*') }),
)
const rules = (maxLength: number) => fc.array(rule, { maxLength })

it('rejects the same escalations as the control plane, with the same messages', async () => {
  const numRuns = 5_000 * Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)
  const questions = fc.sample(fc.record({ held: rules(4), given: rules(3) }), { numRuns, seed: 1 }) as Question[]
  const theirs = (await ask('escalation', questions as unknown as Json[])).map(({ value }) => value)
  const ours = questions.map(refusalOf)
  const parted = questions.flatMap((asked, at) =>
    ours[at] === theirs[at] ? [] : [{ asked, ours: ours[at], theirs: theirs[at] }],
  )
  expect(parted.slice(0, 3)).toEqual([])
  expect(ours.filter((text) => text === '').length).toBeGreaterThan(numRuns / 20)
})

interface Question {
  readonly held: readonly JsonObject[]
  readonly given: readonly JsonObject[]
}

function refusalOf({ held, given }: Question): string {
  const log = new ObjectLog()
  const group = 'rbac.authorization.k8s.io'
  log.commit({ shelf: `clusterroles.${group}`, namespace: '', name: 'held' }, 'created', () => ({ rules: held }))
  log.commit({ shelf: `clusterrolebindings.${group}`, namespace: '', name: 'ann' }, 'created', () => ({
    roleRef: { kind: 'ClusterRole', name: 'held' },
    subjects: [{ kind: 'User', name: 'ann' }],
  }))
  const user = { name: 'ann', groups: ['staff', 'all'] }
  return escalationOf(user, rulesOf({ rules: given }), { namespace: '', view: log }) ?? ''
}
