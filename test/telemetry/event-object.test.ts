import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutToBytes, eventObject } from '../../src/telemetry/event-object.ts'

const reporter = { controller: 'konverge.dev/operator', instance: 'konverge-0' }
const database = {
  apiVersion: 'data.konverge.dev/v1alpha1',
  kind: 'Database',
  metadata: { name: 'orders', namespace: 'shop', uid: 'u1', resourceVersion: '7' },
}
const report = {
  regarding: database,
  type: 'Normal',
  reason: 'Created',
  action: 'Apply',
  note: 'Created StatefulSet shop/orders.',
} as const
const event = (name: string, namespace?: string) =>
  eventObject({
    report: {
      ...report,
      regarding: { ...database, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } },
    },
    reporter,
    uniqueSuffix: '1a2b',
    eventTime: '2026-01-01T00:00:00.000000Z',
  })

describe('eventObject', () => {
  it('returns an Event in the namespace of its object', () => {
    expect(eventObject({ report, reporter, uniqueSuffix: '1a2b', eventTime: '2026-01-01T00:00:00.000000Z' })).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'orders.1a2b', namespace: 'shop' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'konverge.dev/operator',
      reportingInstance: 'konverge-0',
      type: 'Normal',
      reason: 'Created',
      action: 'Apply',
      note: 'Created StatefulSet shop/orders.',
      regarding: {
        apiVersion: 'data.konverge.dev/v1alpha1',
        kind: 'Database',
        name: 'orders',
        namespace: 'shop',
        uid: 'u1',
        resourceVersion: '7',
      },
    })
  })

  it('uses the namespace `default` for a cluster-scoped object', () => {
    expect(event('node-1').metadata.namespace).toBe('default')
    expect(event('node-1').regarding).not.toHaveProperty('namespace')
  })

  it.each([
    ['orders', 'orders.1a2b'],
    ['system:kube-proxy', 'system-kube-proxy.1a2b'],
    ['UPPER_case.', 'upper-case.1a2b'],
    [':::', 'object.1a2b'],
    ['a.-b', 'a.b.1a2b'],
  ])('turns the name %s into %s', (name, eventName) => {
    expect(event(name).metadata.name).toBe(eventName)
  })

  it('returns a valid name for any object name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 300 }), (name) => {
        const eventName = event(name).metadata.name
        expect(eventName).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)
        expect(eventName.length).toBeLessThanOrEqual(253)
      }),
    )
  })
})

describe('cutToBytes', () => {
  it('keeps a text that fits', () => {
    expect(cutToBytes('grüße', 7)).toBe('grüße')
  })

  it('cuts at a character boundary, and marks the cut', () => {
    expect(cutToBytes('grüße', 6)).toBe('gr…')
  })

  it('returns a prefix within the limit, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 3, max: 60 }), (text, maxBytes) => {
        const cut = cutToBytes(text, maxBytes)
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes)
        if (cut !== text) expect(text.startsWith(cut.slice(0, -1)) && cut.endsWith('…')).toBe(true)
      }),
    )
  })
})
