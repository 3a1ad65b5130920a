import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Impersonation, wantedUserOf } from '../../../src/apiserver/access/impersonation.ts'
import type { AccessAttributes } from '../../../src/apiserver/access/policy-rules.ts'
import { StatusError } from '../../../src/apiserver/status-error.ts'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { ask } from '../../oracles/oracle.ts'

const node = 'system:node:n1'
const account = 'system:serviceaccount:shop:bot'
const name = fc.constantFrom(
  ...['ann', node, account, 'system:anonymous', 'system:node:No', 'system:serviceaccount:shop:bot:x', 'a<b&"c"'],
)
const group = fc.constantFrom('staff', 'guests', '', 'system:masters', 'system:unauthenticated', 'system:authenticated')
/** At most one key: the filter iterates over extra keys in random order, which would make the first error random. */
const extra = fc.constantFrom<Record<string, string[]>>(
  {},
  {},
  {},
  { 'Impersonate-Extra-example.com%2Fa': ['1'] },
  { 'Impersonate-Extra-example.com%2Fa': ['1', '2', '3', '4', ''] },
  { 'Impersonate-Extra-plain': ['1'] },
  { 'Impersonate-Extra-': ['1'] },
  { 'Impersonate-Extra-Ex%41mple.com%2fB': ['1'] },
)
const often = <Item>(item: fc.Arbitrary<Item>, none: Item) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(none) }, { weight: 1, arbitrary: item })
const headers = fc
  .record({
    name: fc.oneof({ weight: 12, arbitrary: name }, { weight: 1, arbitrary: fc.constant('') }),
    groups: often(fc.array(group, { maxLength: 5 }), []),
    uid: often(fc.constantFrom('u', ''), ''),
    extra,
  })
  .map(({ name, groups, uid, extra }) => ({
    ...(name === '' ? {} : { 'Impersonate-User': [name] }),
    ...(groups.length === 0 ? {} : { 'Impersonate-Group': groups }),
    ...(uid === '' ? {} : { 'Impersonate-Uid': [uid] }),
    ...extra,
  }))

const modes = ['associated-node', 'arbitrary-node', 'serviceaccount', 'user-info']
const right = fc.record({
  verb: fc.constantFrom(
    ...modes.flatMap((mode) => [`impersonate:${mode}`, `impersonate-on:${mode}:get`]),
    ...['impersonate', 'impersonate', '*'],
  ),
  group: fc.constantFrom('', 'authentication.k8s.io', '*', '*'),
  resource: fc.constantFrom('*', '*', '*', 'users', 'groups', 'uids', 'userextras', 'nodes', 'serviceaccounts'),
  subresource: fc.constantFrom('*', '*', '', 'example.com/a'),
  namespace: fc.constantFrom('*', '*', '', 'shop'),
  name: fc.constantFrom('*', '*', '*', 'n1', 'ann', 'staff', 'u', '1'),
})
const nodeKey = 'authentication.kubernetes.io/node-name'
const user = fc.record({
  name: fc.constantFrom('root', 'ben', account),
  groups: fc.constant(['system:authenticated']),
  extra: fc.constantFrom<Record<string, string[]>>({}, { [nodeKey]: ['n1'] }, { [nodeKey]: ['n1', 'n2'] }),
})
const info = fc.oneof(
  fc.record({
    isResourceRequest: fc.constant(true),
    verb: fc.constantFrom('get', 'list'),
    group: fc.constantFrom('', 'apps'),
    resource: fc.constantFrom('pods', 'deployments'),
    subresource: fc.constantFrom('', 'status'),
    namespace: fc.constantFrom('', 'shop'),
    name: fc.constantFrom('', 'x'),
    path: fc.constant('/x'),
  }),
  fc.constant<AccessAttributes>({
    ...{ isResourceRequest: false, verb: 'get', group: '', resource: '', subresource: '', namespace: '', name: '' },
    path: '/metrics',
  }),
)
/** All rights that one mode needs to impersonate any user. */
const wide = fc.constantFrom(...modes, 'legacy').map((mode) => {
  const all = { group: '*', resource: '*', subresource: '*', namespace: '*', name: '*' }
  if (mode === 'legacy') return [{ ...all, verb: 'impersonate' }]
  return [`impersonate-on:${mode}:get`, `impersonate:${mode}`].map((verb) => ({ ...all, verb }))
})
const question = fc.record({
  rights: fc.tuple(often(wide, []), fc.array(right, { maxLength: 5 })).map((parts) => parts.flat()),
  requests: fc.array(fc.record({ user, headers, info }), { minLength: 1, maxLength: 4 }),
})

interface Question {
  readonly rights: readonly Omit<AccessAttributes, 'isResourceRequest' | 'path'>[]
  readonly requests: readonly {
    readonly user: {
      readonly name: string
      readonly groups: readonly string[]
      readonly extra: Record<string, string[]>
    }
    readonly headers: Readonly<Record<string, readonly string[]>>
    readonly info: AccessAttributes
  }[]
}

function outcomes({ rights, requests }: Question): Json[] {
  const fields = ['verb', 'group', 'resource', 'subresource', 'namespace', 'name'] as const
  const impersonation = new Impersonation((_, wanted) => ({
    isAllowed: rights.some((one) => fields.every((field) => one[field] === '*' || one[field] === wanted[field])),
    reason: '',
  }))
  return requests.map(({ user: requestor, headers: sent, info: attributes }): Json => {
    const lower = new Map(Object.entries(sent).map(([key, values]) => [key.toLowerCase(), values.join(', ')]))
    try {
      const request = { method: 'GET', path: '/', query: new URLSearchParams(), body: '' }
      const header = (key: string) => lower.get(key)
      const wanted = wantedUserOf({ ...request, header, headerNames: [...lower.keys()] })
      const found = wanted === undefined ? requestor : impersonation.impersonate({ requestor, wanted, attributes })
      return { uid: '', extra: null, ...found } as unknown as Json // Plain data.
    } catch (thrown) {
      if (!(thrown instanceof StatusError)) throw thrown
      return { code: thrown.parts.code, message: thrown.message }
    }
  })
}

it('allows the same impersonations as the control plane, with the same errors', async () => {
  const numRuns = 5_000 * Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)
  const questions = fc.sample(question, { numRuns, seed: 1 }) as unknown as Question[]
  const asked = questions.map(({ rights, requests }) => ({
    rights,
    requests: requests.map(({ user, headers, info }) => ({ user, headers, info: { ...info, apiGroup: info.group } })),
  }))
  const answers = await ask('impersonation', asked as unknown as Json[])
  const plain = (found: Json) =>
    (found as JsonObject)['extra'] === undefined ? found : { extra: {}, ...(found as JsonObject) }
  const counts = { allowed: 0, refused: 0 }
  for (const [index, answer] of answers.entries()) {
    const ours = outcomes(questions[index] as Question).map(plain)
    const theirs = (answer.value as Json[]).map(plain)
    expect(ours, JSON.stringify(asked[index])).toEqual(theirs)
    for (const one of theirs) counts[Object.hasOwn(one as JsonObject, 'code') ? 'refused' : 'allowed']++
  }
  expect(Math.min(counts.allowed, counts.refused)).toBeGreaterThan(numRuns / 10)
})
