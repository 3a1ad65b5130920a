import { expect, it } from 'vitest'
import { BuiltInDataLoader } from '../../../src/apiserver/built-in/built-in-data-loader.ts'
import { gatheredRules } from '../../../src/apiserver/controllers/cluster-role-aggregator.ts'
import { metadataText } from '../../../src/apiserver/metadata.ts'

const roles = new BuiltInDataLoader().bootstrapObjects().filter(({ kind }) => kind === 'ClusterRole')

it.each(['admin', 'edit', 'view'])('aggregates the rules of %s like the real controller', (name) => {
  const role = roles.find((one) => metadataText(one, 'name') === name)
  const rules = gatheredRules(role ?? {}, roles)
  expect(rules.length).toBeGreaterThan(3)
  expect(rules).toEqual(role?.['rules'])
})
