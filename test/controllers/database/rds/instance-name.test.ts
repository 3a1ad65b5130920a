import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finalSnapshotIdentifier, instanceIdentifier } from '../../../../src/controllers/database/rds/instance-name.ts'

const uid = '1b4e28ba-2fa1-11d2-883f-0016d3cca427'

describe('the identifier of an instance', () => {
  it.each([
    ['shop', 'crm', 'konverge-shop-crm-1b4e28ba'],
    ['kube--system', 'a.b', 'konverge-kube-system-a-b-1b4e28ba'],
    ['a'.repeat(63), 'crm', `konverge-${'a'.repeat(45)}-1b4e28ba`],
    [`${'a'.repeat(44)}`, 'crm', `konverge-${'a'.repeat(44)}-1b4e28ba`],
  ])('for %s/%s is %s', (namespace, name, identifier) => {
    expect(instanceIdentifier({ namespace, name, uid })).toBe(identifier)
  })

  it('follows the rules of RDS, whatever the names are', () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/)
    fc.assert(
      fc.property(label, label, fc.oneof(fc.uuid(), fc.string()), (namespace, name, anyUid) => {
        const identifier = instanceIdentifier({ namespace, name, uid: anyUid })
        expect(identifier).toMatch(/^[a-z](-?[a-z0-9])*$/)
        expect(identifier.length).toBeLessThanOrEqual(63)
      }),
      { numRuns: 300 },
    )
  })

  it('differs for another resource of the same name', () => {
    const other = instanceIdentifier({ namespace: 'shop', name: 'crm', uid: '2c4e28ba-2fa1-11d2-883f-0016d3cca427' })
    expect(other).not.toBe(instanceIdentifier({ namespace: 'shop', name: 'crm', uid }))
  })

  it('names the final snapshot after the whole UID', () => {
    expect(finalSnapshotIdentifier(uid)).toBe(`final-${uid}`)
  })
})
