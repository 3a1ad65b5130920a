import { expect, it } from 'vitest'
import { markOf, successionIn, tokenIn } from '../../../../src/controllers/engines/postgres/mark.ts'

it('is read back as it was written', () => {
  const token = { uid: `5f"'\\1c`, generation: 12 }
  expect(tokenIn(markOf(token))).toEqual(token)
})

it('says whose it is, where it was written by a version that does so', () => {
  const token = { uid: '5f1c', generation: 1, holder: 'Database shop/crm' }
  expect(markOf(token)).toBe('konverge {"uid":"5f1c","generation":1,"holder":"Database shop/crm"}')
  expect(tokenIn(markOf(token))).toEqual(token)
  expect(tokenIn('konverge {"uid":"5f1c","generation":1,"holder":7}')).toEqual({ uid: '5f1c', generation: 1 })
})

it.each([
  null,
  undefined,
  '',
  'the shop’s own',
  '{"uid":"5f1c","generation":1}',
  'konverge ',
  'konverge is fine',
  'konverge {}',
  'konverge null',
  'konverge {"uid":5,"generation":1}',
  'konverge {"uid":"","generation":1}',
  'konverge {"uid":"5f1c","generation":"1"}',
  'konverge {"uid":"5f1c"}',
])('is not in the comment %j', (comment) => {
  expect(tokenIn(comment)).toBeUndefined()
})

it('says by which request a database has its name, and what had it before', () => {
  const token = { uid: '5f1c', generation: 1 }
  for (const succession of [{ request: 'r1', replaced: 'pg://7/5' }, { request: 'r1' }]) {
    expect(successionIn(markOf(token, succession))).toEqual(succession)
    expect(tokenIn(markOf(token, succession))).toEqual(token)
  }
  expect(successionIn(markOf(token))).toBeUndefined()
})

it.each([
  'konverge {"uid":"5f1c","generation":1,"succession":null}',
  'konverge {"uid":"5f1c","generation":1,"succession":"r1"}',
  'konverge {"uid":"5f1c","generation":1,"succession":{}}',
  'konverge {"uid":"5f1c","generation":1,"succession":{"request":1}}',
  'konverge {"uid":"","generation":1,"succession":{"request":"r1"}}',
  'the shop’s own',
])('says nothing of that in the comment %j', (comment) => {
  expect(successionIn(comment)).toBeUndefined()
})
