import { describe, expect, it } from 'vitest'
import { readFields, sharedFields } from '../../../src/apiserver/merge/shared-fields.ts'
import { fieldPath } from '../../../src/diff/field-path.ts'
import { FieldSet, fieldSetOf } from '../../../src/diff/field-set.ts'

const setOf = (...names: readonly string[]) => FieldSet.of(names.map((name) => fieldPath('spec', name)))

describe('sharedFields', () => {
  it('returns one set for equal sets, and another for different ones', () => {
    const first = sharedFields(setOf('a', 'b'))
    expect(sharedFields(setOf('b', 'a'))).toBe(first)
    const other = setOf('a', 'c')
    expect(sharedFields(other)).toBe(other)
    expect(sharedFields(setOf('a', 'b'))).toBe(first)
  })

  it('drops the least recently used set', () => {
    const first = sharedFields(setOf('old'))
    for (let index = 0; index < 20; index++) sharedFields(setOf(`new-${index}`))
    const again = setOf('old')
    expect(sharedFields(again)).toBe(again)
    expect(again).not.toBe(first)
  })
})

describe('readFields', () => {
  it('parses a text once, with the result of fieldSetOf', () => {
    const fieldsV1 = () => ({ 'f:spec': { 'f:once': {}, 'k:{"name":"a"}': { '.': {} } } })
    let asked = 0
    const isValid = () => ++asked > 0
    const read = readFields(fieldsV1(), isValid)
    expect(readFields(fieldsV1(), isValid)).toBe(read)
    expect(asked).toBe(1)
    expect(read?.toFieldsV1()).toEqual(fieldSetOf(fieldsV1()).toFieldsV1())
  })

  it('rejects an invalid text each time', () => {
    for (const fieldsV1 of [{ spec: {} }, { 'f:spec': 2n ** 62n }])
      for (let time = 0; time < 2; time++) expect(readFields(fieldsV1, () => false)).toBeUndefined()
  })
})
