// Labels and annotations of konverge.dev that a construct declares, often copied from a spec.
import { describe, expect, it } from 'vitest'
import { contribute } from '../../src/synth/field-policies.ts'
import { object, parent, refusalOf, synth } from './fixture.ts'

const shop = { ...parent, apiVersion: 'shop.example.com/v1' }
const build = (metadata: object, over = {}) =>
  synth((chart) => void object(chart, 'a', { metadata: { name: 'a', ...metadata } }), { parent: shop, ...over })

describe('a reserved key', () => {
  it.each([
    ['annotations', 'konverge.dev/prune', 'disabled'],
    ['annotations', 'konverge.dev/adopt', 'Site/a'],
    ['annotations', 'konverge.dev/inventory-token', 'x'],
    ['annotations', 'konverge.dev/part-of', 'applyset-x-v1'],
    ['annotations', 'konverge.dev/applied-hash', 'x'],
    ['annotations', 'owner.konverge.dev/uid-9', '0'],
    ['annotations', 'audit.konverge.dev/tooling', 'x'],
    ['annotations', 'data.konverge.dev/backup', 'x'],
    ['labels', 'owner.konverge.dev/uid-9', 'sites.example.com'],
    ['labels', 'konverge.dev/shard', 'eu'],
    ['labels', 'konverge.dev/paused', 'true'],
  ])('is rejected on a child and on a contribution: %s %s', (field, key, value) => {
    const metadata = { [field]: { team: 'x', [key]: value } }
    const refusal = refusalOf(() => build(metadata))
    expect(refusal).toMatchObject({ code: 'ReservedKey', constructPath: 'a' })
    expect(refusal.message).toContain(
      `construct a declares the ${field.slice(0, -1)} "${key}", and keys of konverge.dev and its subdomains are reserved`,
    )
    const contributed = () =>
      synth((chart) => contribute(object(chart, 'a', { metadata: { name: 'a', ...metadata } })), { parent: shop })
    expect(refusalOf(contributed)).toMatchObject({ code: 'ReservedKey' })
  })

  it('suggests retain() if it is the annotation of a retained object', () => {
    expect(refusalOf(() => build({ annotations: { 'konverge.dev/prune': 'disabled' } })).message).toMatch(/retain\(\)$/)
  })

  it.each([
    'konverge.dev/name-key',
    'konverge.dev/paused',
    'konverge.dev/reconcile-now',
    'konverge.dev/reconcile-interval',
    'konverge.dev/abandon-external',
  ])('is accepted if it is meant for authors: %s', (key) => {
    const [only] = build({ annotations: { [key]: 'true' } }).objects
    expect(only?.object.metadata.annotations).toMatchObject({ [key]: 'true' })
  })

  it('is accepted in the group of the resource', () => {
    const [only] = build({ labels: { 'data.konverge.dev/backup': 'x' } }, { parent }).objects
    expect(only?.object.metadata.labels).toMatchObject({ 'data.konverge.dev/backup': 'x' })
  })

  it('is accepted of another domain, and without one', () => {
    const labels = { 'notkonverge.dev/prune': 'x', prune: 'x', 'konverge.dev.example.com/prune': 'x' }
    expect(build({ labels }).objects[0]?.object.metadata.labels).toMatchObject(labels)
  })
})
