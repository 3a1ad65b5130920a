import { describe, expect, it } from 'vitest'
import { immutableField, immutableFieldsOf } from '../../src/apply/immutable-change.ts'
import { fieldPath } from '../../src/diff/field-path.ts'
import { KubeError, type KubeErrorCode, type StatusCause } from '../../src/kube/kube-errors.ts'

const refused = (causes: readonly Omit<StatusCause, 'reason'>[], code: KubeErrorCode = 'Invalid', message = 'no') =>
  new KubeError({ code, message, causes: causes.map((cause) => ({ ...cause, reason: 'FieldValueInvalid' })) })
const changed = [fieldPath('spec', 'serviceName'), fieldPath('metadata', 'labels', 'a')]

describe('a rejection of a change', () => {
  it.each([
    ['field is immutable', 'spec.template'],
    ['Invalid value: "b": may not change once set', 'spec.clusterIPs[0]'],
    ['cannot change roleRef', 'roleRef'],
    ['updates to parameters are forbidden.', 'parameters'],
    ['spec is immutable after creation except resources.requests', 'spec.storageClassName'],
    ['failed rule: self == oldSelf', 'spec.engine'],
  ])('with the message "%s" is about an immutable field', (message, field) => {
    expect(immutableFieldsOf(refused([{ message, field }]), [])).toEqual([field])
  })

  it('that names only a whole spec is reported with the changed fields', () => {
    const message = "updates to statefulset spec for fields other than 'replicas', 'template' are forbidden"
    expect(immutableFieldsOf(refused([{ message, field: 'spec' }]), changed)).toEqual(['spec.serviceName'])
  })

  it('may be a conflict, and without causes', () => {
    expect(immutableFieldsOf(refused([], 'Conflict', 'the field is immutable'), changed)).toEqual([
      'spec.serviceName',
      'metadata.labels.a',
    ])
  })

  it.each([
    ['a value that is plainly wrong', refused([{ message: 'must be greater than or equal to 0', field: 'spec.x' }])],
    [
      'a value, when only the name speaks of immutability',
      refused(
        [{ message: 'must be a positive number', field: 'spec.x' }],
        'Invalid',
        'Thing "immutable-log" is invalid: spec.x: must be a positive number',
      ),
    ],
    [
      'a value that speaks of immutability',
      refused([{ message: 'Invalid value: "is immutable": must be a number', field: 'spec.x' }]),
    ],
    [
      'a race for an object whose name speaks of immutability',
      refused(
        [],
        'Conflict',
        'apply ConfigMap default/immutable-log: Operation cannot be fulfilled on configmaps "immutable-log": the object has been modified; please try again',
      ),
    ],
    ['a lack of rights', refused([], 'Forbidden', 'field is immutable')],
    ['a field of another manager', refused([{ message: 'conflict with "editor"', field: '.spec.x' }], 'Conflict')],
    ['another error', new Error('field is immutable')],
  ])('because of %s is not about an immutable field', (_, error) => {
    expect(immutableFieldsOf(error, changed)).toBeUndefined()
  })

  it('is reported with the field, the policy and the construct, and without any value', () => {
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: 'default' } }
    const desired = { object, constructPath: 'store/login' } as Parameters<typeof immutableField>[0]
    const error = immutableField(desired, ['data.password'])
    expect(error).toMatchObject({ code: 'ImmutableField', remedy: 'stop' })
    expect(error.message).toMatch(
      /^Secret default\/login: data\.password cannot change .* recreateOnChange\(\) on construct store\/login$/,
    )
  })
})
