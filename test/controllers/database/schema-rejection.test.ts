// Schema names that the controller rejects in a Database although its CRD accepted them. A table of names.
import { expect, it } from 'vitest'
import { schemaRejection } from '../../../src/controllers/database/schema-rejection.ts'

it.each([
  ['a schema of the marks', { schemas: [{ name: 'app' }, { name: '_konverge' }] }, /^spec.schemas names _konverge: /],
  ['a schema of PostgreSQL', { schemas: [{ name: 'pg_app' }] }, /^spec.schemas names pg_app: /],
  [
    'the schema of the standard',
    { schemas: [{ name: 'information_schema' }] },
    /^spec.schemas names information_schema: /,
  ],
  [
    'an extension among the marks',
    { extensions: [{ name: 'a', schema: '_konverge' }] },
    /^spec.extensions names _konverge: /,
  ],
  [
    'an extension in pg_toast',
    { extensions: [{ name: 'a', schema: 'pg_toast' }] },
    /^spec.extensions names pg_toast: /,
  ],
])('the controller rejects %s', (_, spec, message) => {
  expect(schemaRejection(spec)).toEqual({ reason: 'ReservedSchema', message: expect.stringMatching(message) })
})

it('the controller accepts other schemas, and extensions in pg_catalog', () => {
  const extensions = [{ name: 'pg_cron', schema: 'pg_catalog' }, { name: 'citext' }]
  expect(schemaRejection({ schemas: [{ name: 'public' }, { name: 'konverge' }], extensions })).toBeUndefined()
})
