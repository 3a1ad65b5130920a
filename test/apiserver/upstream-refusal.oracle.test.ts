import { expect, it } from 'vitest'
import { statusOf } from '../../src/apiserver/status-error.ts'
import { upstreamRefusal } from '../../src/apiserver/upstream-refusal.ts'
import { ask } from '../oracles/oracle.ts'

const texts = [
  '',
  'unknown',
  'the pod is gone',
  'a "quoted"\nline\tand ü \u0001\u200b',
  '404 page not found\n',
  '{"message": "Invalid request."}',
]
const resources = [
  { group: '', plural: 'pods/log' },
  { group: 'apps', plural: 'deployments/log' },
]
/** HTTP status codes, including unassigned ones. */
const codes = Array.from({ length: 300 }, (_, index) => index + 300)

it('passes on errors of a backend server like the control plane', async () => {
  const asked = codes.flatMap((status) =>
    texts.flatMap((text) => resources.map((resource) => ({ status, text, ...resource, name: 'web-1' }))),
  )
  const answers = await ask('upstreamRefusal', asked)
  const ours = asked.map(({ status, text, group, plural, name }) =>
    statusOf(upstreamRefusal({ status, text }, { group, resource: plural }, name).parts),
  )
  expect(ours).toEqual(answers.map(({ value }) => value))
})
