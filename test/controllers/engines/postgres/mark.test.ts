import { expect, it } from 'vitest'
import { markOf, successionIn, tokenIn } from '../../../../src/controllers/engines/postgres/mark.ts'

it('a marker is parsed as it was written', () => {
  const token = { uid: `5f"'\\1c`, generation: 12 }
  expect(tokenIn(markOf(token))).toEqual(token)
})

it('a marker names its owner, if a version that does so wrote it', () => {
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
])('a marker is absent from the comment %j', (comment) => {
  expect(tokenIn(comment)).toBeUndefined()
})

it('a marker names the request that renamed a database, and the database that had the name before', () => {
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
])('a marker names no request in the comment %j', (comment) => {
  expect(successionIn(comment)).toBeUndefined()
})
