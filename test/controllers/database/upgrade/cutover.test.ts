// Approval of a cutover. Each try needs its own approval.
import { expect, it } from 'vitest'
import { cutoverAnnotation, cutoverWaitsFor } from '../../../../src/controllers/database/upgrade/cutover.ts'
import { movingDatabase } from './upgrade-records.ts'

const first = { id: '15-to-18', input: { from: '15', to: '18' } }
const again = { ...first, id: '15-to-18-b' }

function waits(consent: string | undefined, undertaking: typeof first, upgrade: object = { cutover: 'Manual' }) {
  const database = movingDatabase({ upgrade })
  const annotations = consent === undefined ? {} : { [cutoverAnnotation]: consent }
  return cutoverWaitsFor({ ...database, metadata: { ...database.metadata, annotations } }, undertaking)
}

it.each([
  ['nobody has said so', undefined, first, '18'],
  ['it was said of another version', '17', first, '18'],
  ['it was said of the try before', '18', again, '18-b'],
  ['it was said of another try', '18-a', again, '18-b'],
] as const)('a cutover waits when %s', (_, consent, undertaking, value) => {
  expect(waits(consent, undertaking)).toBe(
    `the new server follows; annotate the Database with data.konverge.dev/cutover=${value} to lead applications there`,
  )
})

it('a cutover does not wait when this try, or every try, is approved', () => {
  expect(waits('18', first)).toBeUndefined()
  expect(waits('18-b', again)).toBeUndefined()
  expect(waits(undefined, again, { cutover: 'Automatic' })).toBeUndefined()
})
