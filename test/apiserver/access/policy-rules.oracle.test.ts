import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decide } from '../../../src/apiserver/access/policy-rules.ts'
import { ObjectLog } from '../../../src/apiserver/object-log.ts'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { ask } from '../../oracles/oracle.ts'

const verb = fc.constantFrom('get', 'list', 'create', '*')
const group = fc.constantFrom('', 'apps', '*')
const resource = fc.constantFrom('pods', 'pods/status', '*/status', 'deployments', '*')
const name = fc.constantFrom('a', 'b')
const namespace = fc.constantFrom('red', 'blue')
const url = fc.constantFrom('/metrics', '/logs/*', '*', '/healthz')
const some = <Item>(item: fc.Arbitrary<Item>) => fc.array(item, { minLength: 1, maxLength: 2 })

const rule = fc.oneof(
  fc.record({
    verbs: some(verb),
    apiGroups: some(group),
    resources: some(resource),
    resourceNames: fc.array(name, { maxLength: 1 }),
  }),
  fc.record({ verbs: some(verb), nonResourceURLs: some(url) }),
)
const rules = fc.array(rule, { maxLength: 2 })
const subject = fc.oneof(
  fc.record({ kind: fc.constant('User'), name: fc.constantFrom('ann', 'ben') }),
  fc.record({ kind: fc.constant('Group'), name: fc.constantFrom('staff', 'guests') }),
  fc.record({
    kind: fc.constant('ServiceAccount'),
    name: fc.constant('bot'),
    namespace: fc.constantFrom('red', 'blue', ''),
  }),
)
const subjects = fc.array(subject, { maxLength: 2 })
const reference = fc.record({
  kind: fc.constantFrom('Role', 'ClusterRole'),
  name: fc.constantFrom('one', 'two', 'three'),
})
const at = (place: fc.Arbitrary<JsonObject>, rest: Record<string, fc.Arbitrary<Json>>) =>
  fc.record({ metadata: place, ...rest })
const placed = (names: readonly string[]) => fc.record({ name: fc.constantFrom(...names), namespace })
const cluster = (names: readonly string[]) => fc.record({ name: fc.constantFrom(...names) })

const question = fc.record({
  user: fc.record({
    name: fc.constantFrom('ann', 'ben', 'system:serviceaccount:red:bot', 'system:serviceaccount:blue:bot'),
    groups: fc.array(fc.constantFrom('staff', 'guests'), { maxLength: 2 }),
  }),
  attributes: fc.oneof(
    fc.record({
      isResourceRequest: fc.constant(true),
      verb: fc.constantFrom('get', 'list', 'create'),
      group: fc.constantFrom('', 'apps'),
      resource: fc.constantFrom('pods', 'deployments'),
      subresource: fc.constantFrom('', 'status'),
      namespace: fc.constantFrom('red', 'blue', ''),
      name: fc.constantFrom('a', 'b', ''),
      path: fc.constant(''),
    }),
    fc.record({
      isResourceRequest: fc.constant(false),
      verb: fc.constantFrom('get', 'list'),
      path: fc.constantFrom('/metrics', '/logs', '/logs/a/b', '/healthz'),
      ...Object.fromEntries(
        ['group', 'resource', 'subresource', 'namespace', 'name'].map((key) => [key, fc.constant('')]),
      ),
    }),
  ),
  roles: fc.uniqueArray(at(placed(['one', 'two']), { rules }), { maxLength: 3, selector: keyOf }),
  roleBindings: fc.uniqueArray(at(placed(['x', 'y']), { subjects, roleRef: reference }), {
    maxLength: 3,
    selector: keyOf,
  }),
  clusterRoles: fc.uniqueArray(at(cluster(['one', 'two']), { rules }), { maxLength: 2, selector: keyOf }),
  clusterRoleBindings: fc.uniqueArray(
    at(cluster(['x', 'y']), { subjects, roleRef: reference.map((to) => ({ ...to, kind: 'ClusterRole' })) }),
    { maxLength: 2, selector: keyOf },
  ),
})

it('makes the same decisions as the control plane', async () => {
  const numRuns = 5_000 * Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)
  const questions = fc.sample(question, { numRuns, seed: 1 }) as unknown as Question[]
  const answers = await ask('rbac', questions as unknown as Json[])
  // The real lists come from a map, so the first named of several bindings is random.
  const theirs = answers.map(({ value }) => (value as JsonObject)['isAllowed'])
  const ours = questions.map((asked) => decide(asked.user, asked.attributes as never, viewOf(asked)).isAllowed)
  expect(questions.filter((_, index) => ours[index] !== theirs[index]).slice(0, 3)).toEqual([])
  expect(new Set(ours)).toEqual(new Set([true, false]))
})

interface Question
  extends Record<'roles' | 'roleBindings' | 'clusterRoles' | 'clusterRoleBindings', readonly JsonObject[]> {
  readonly user: { readonly name: string; readonly groups: readonly string[] }
  readonly attributes: JsonObject
}

function keyOf(object: object): string {
  const { name, namespace } = (object as { metadata: { name: string; namespace?: string } }).metadata
  return `${namespace}/${name}`
}

function viewOf(asked: Question): ObjectLog {
  const log = new ObjectLog()
  for (const kind of ['roles', 'roleBindings', 'clusterRoles', 'clusterRoleBindings'] as const)
    for (const object of asked[kind]) {
      const { name, namespace = '' } = object['metadata'] as { name: string; namespace?: string }
      log.commit({ shelf: `${kind.toLowerCase()}.rbac.authorization.k8s.io`, namespace, name }, 'created', () => object)
    }
  return log
}
