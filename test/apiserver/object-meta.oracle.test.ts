import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  dns1035LabelName,
  dnsLabelName,
  dnsSubdomainName,
  type NameRule,
  pathSegmentName,
} from '../../src/apiserver/name-rules.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from '../../src/apiserver/object-meta.ts'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { answeredErrors, oracleRuns, shownErrors } from '../oracles/field-errors.ts'
import { ask } from '../oracles/oracle.ts'

const rules: Record<string, NameRule> = {
  dnsSubdomain: dnsSubdomainName,
  dnsLabel: dnsLabelName,
  dns1035Label: dns1035LabelName,
  pathSegment: pathSegmentName,
}

const word = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'web-1',
    'a.b',
    'A',
    '1a',
    '-',
    '.',
    '..',
    'a-',
    'é-',
    'aé',
    'a/b',
    'a%',
    'x.io/y',
    '/y',
    'x/',
  ),
  fc.constantFrom('a/b/c', 'UP.io/x', 'a_b', '"\u0007', 'orphan', 'foregroundDeletion', 'x'.repeat(64), 'é'.repeat(40)),
  fc.constantFrom(`${'a.'.repeat(126)}b`, `${'a.'.repeat(127)}b`, `${'a'.repeat(254)}/b`, `x/${'b'.repeat(64)}`),
  fc.stringMatching(/^[-a-zA-Z0-9._/]{0,12}$/),
)
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const reference = fc.record({
  apiVersion: fc.constantFrom('', 'v1', 'apps/v1', 'a/b/c', 'apps/'),
  kind: fc.constantFrom('', 'Event', 'Pod'),
  name: word,
  uid: fc.constantFrom('', 'u'),
  controller: maybe(fc.boolean()),
  blockOwnerDeletion: maybe(fc.boolean()),
})
const time = maybe(fc.constantFrom('2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z'))
const metadata: fc.Arbitrary<JsonObject> = fc
  .record({
    name: maybe(word),
    generateName: maybe(word),
    namespace: maybe(word),
    uid: maybe(fc.constantFrom('u', 'v')),
    resourceVersion: maybe(fc.constantFrom('1', '')),
    generation: maybe(fc.integer({ min: -1, max: 2 })),
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: maybe(fc.integer({ min: 0, max: 1 })),
    labels: maybe(fc.dictionary(word, word, { maxKeys: 3 })),
    annotations: maybe(fc.dictionary(word, fc.constantFrom('', 'v', 'x'.repeat(140_000)), { maxKeys: 3 })),
    finalizers: maybe(fc.array(word, { maxLength: 3 })),
    ownerReferences: maybe(fc.array(reference, { maxLength: 3 })),
    managedFields: maybe(
      fc.array(
        fc.record({
          operation: fc.constantFrom('Apply', 'Update', ''),
          fieldsType: fc.constantFrom('FieldsV1', 'x', ''),
          manager: fc.constantFrom('', 'm', 'a\u0007é\u00adb', 'm'.repeat(129)),
          subresource: fc.constantFrom('', 's'.repeat(257)),
        }),
        { maxLength: 2 },
      ),
    ),
  })
  .map((record) => record as unknown as JsonObject) // Plain data; fast-check's type is as wide as its values.

const question = fc.record({
  metadata,
  old: fc.option(metadata, { nil: undefined, freq: 1 }),
  namespaced: fc.boolean(),
  rule: fc.constantFrom(...Object.keys(rules)),
})

it('finds the same errors in metadata as the control plane', async () => {
  const questions = fc.sample(question, { numRuns: oracleRuns(4_000), seed: 1 })
  const answers = await ask('object-meta', questions as unknown as readonly Json[])
  const differing = questions.flatMap((asked, index) => {
    const validateName = rules[asked.rule] ?? dnsSubdomainName
    const ours = shownErrors(
      asked.old === undefined
        ? validateObjectMeta({ ...asked, isNamespaced: asked.namespaced, validateName, field: 'metadata' })
        : validateObjectMetaUpdate(asked.metadata, asked.old),
    )
    const theirs = answeredErrors(answers[index]?.value)
    const onlyOurs = ours.filter((error) => !theirs.includes(error))
    const onlyTheirs = theirs.filter((error) => !ours.includes(error))
    return ours.join() === theirs.join() ? [] : [{ asked, onlyOurs, onlyTheirs }]
  })
  expect(differing.slice(0, 5)).toEqual([])
})
