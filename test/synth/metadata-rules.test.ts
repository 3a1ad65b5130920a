// Errors about labels and annotations name keys and never show a value, which a controller may have read from a Secret.
import { expect, it } from 'vitest'
import { annotationsProblem, labelsProblem } from '../../src/synth/metadata-rules.ts'

const secret = 'S3cr3t'

it.each([
  ['has characters that are not allowed', `${secret}/=`, /the value of label "app" must be of A-Z/],
  ['is too long', secret.repeat(12), /the value of label "app" has 72 characters/],
  ['is no text', [secret], /the label "app" is a object/],
])('labels: an error does not show a value that %s', (_, value, message) => {
  const problem = labelsProblem({ app: value })
  expect(problem).toMatch(message)
  expect(problem).not.toContain(secret)
})

it.each([
  ['is too long', secret.repeat(50_000), /its annotations have 300003 bytes/],
  ['is no text', [secret], /the annotation "app" is a object/],
])('annotations: an error does not show a value that %s', (_, value, message) => {
  const problem = annotationsProblem({ app: value })
  expect(problem).toMatch(message)
  expect(problem).not.toContain(secret)
})
