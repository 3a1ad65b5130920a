import { describe, expect, it } from 'vitest'
import { Convergence, holdOffMs } from '../../src/apply/convergence.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { live } from '../objects.ts'

const manager = 'konverge'
const desired = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default' },
  data: { key: 'ours' },
}
const path = [
  { kind: 'field', name: 'data' },
  { kind: 'field', name: 'key' },
] as const

/** As our apply leaves it; the other manager's entry is of its last write. */
const answered = (data: Record<string, string>): LiveObject =>
  live({
    metadata: {
      managedFields: [
        {
          manager,
          operation: 'Apply',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:key': {} } },
        },
        { manager: 'editor', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
      ],
    },
    data,
  })

describe('convergence', () => {
  it('takes back a field twice and gives up at the third round, naming field and other side', () => {
    const convergence = new Convergence({ manager })
    const object = answered({ key: 'ours' })
    convergence.learn({ desired, live: object, paths: [path], rivals: [], nowMs: 0 })
    convergence.learn({ desired, live: object, paths: [path], rivals: [], nowMs: 1_000 })
    expect(() => convergence.learn({ desired, live: object, paths: [path], rivals: [], nowMs: 2_000 })).toThrow(
      /3 times by konverge .* at data\.key by perhaps editor/,
    )
  })

  it('leaves the object alone for a while after that, and then tries once more', () => {
    const convergence = new Convergence({ manager })
    const object = answered({ key: 'ours' })
    for (const nowMs of [0, 1, 2]) {
      try {
        convergence.learn({ desired, live: object, paths: [path], rivals: [], nowMs: nowMs })
      } catch {}
    }
    expect(() => convergence.assertMayApply(desired, object, 2 + holdOffMs - 1)).toThrow(/keeps being changed back/)
    expect(() => convergence.assertMayApply(desired, object, 2 + holdOffMs)).not.toThrow()
  })

  it('does not send again what the server refused for good, until it is declared otherwise or a while has passed', () => {
    const convergence = new Convergence({ manager })
    const error = new KubeError({ code: 'Invalid', message: 'spec.replicas: must not be negative' })
    convergence.learnRefusal(desired, error, 0)
    expect(() => convergence.assertMayApply(desired, undefined, holdOffMs - 1)).toThrow(error)
    expect(() => convergence.assertMayApply({ ...desired }, undefined, 1)).not.toThrow()
    expect(() => convergence.assertMayApply(desired, undefined, holdOffMs)).not.toThrow()
  })

  it('takes for equal what the server made of our last apply', () => {
    const convergence = new Convergence({ manager })
    const rewritten = answered({ key: 'OURS' })
    expect(convergence.compare(desired, rewritten, 0).kind).toBe('different')
    convergence.learn({ desired, live: rewritten, paths: [], rivals: [], nowMs: 0 })
    expect(convergence.compare(desired, rewritten, 1).kind).toBe('equal')
    expect(convergence.compare(desired, answered({ key: 'theirs' }), 1).kind).toBe('different')
  })

  it('applies once more after an hour what the server rewrites', () => {
    const convergence = new Convergence({ manager })
    const rewritten = answered({ key: 'OURS' })
    convergence.learn({ desired, live: rewritten, paths: [], rivals: [], nowMs: 0 })
    expect(convergence.compare(desired, rewritten, 3_599_999).kind).toBe('equal')
    expect(convergence.compare(desired, rewritten, 3_600_000).kind).toBe('different')
  })

  it('lets nothing known make up for never having applied', () => {
    const convergence = new Convergence({ manager })
    convergence.learn({ desired, live: answered({ key: 'OURS' }), paths: [], rivals: [], nowMs: 0 })
    expect(convergence.compare(desired, live({ data: { key: 'OURS' } }), 1).kind).toBe('unowned')
  })
})
