import { expect, it } from 'vitest'
import { ObjectLog } from '../../src/apiserver/object-log.ts'

it('bounds its history in characters, however large the objects are', () => {
  const log = new ObjectLog({ historyCharacters: 10_000 })
  const place = { shelf: 'configmaps', namespace: 'a', name: 'b' }
  for (let write = 0; write < 100; write++)
    log.commit(place, write === 0 ? 'created' : 'changed', (resourceVersion) => ({
      metadata: { resourceVersion },
      data: 'x'.repeat(1_000),
    }))
  const kept = log.entriesAfter(log.compactedRevision)
  expect(kept.length).toBeGreaterThan(7)
  expect(kept.length).toBeLessThan(12)
  expect(log.at(log.compactedRevision - 1)).toBeUndefined()
  expect(log.at(log.compactedRevision)?.get(place)?.revision).toBe(log.compactedRevision)
})
