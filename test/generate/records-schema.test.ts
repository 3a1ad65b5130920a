import { expect, it } from 'vitest'
import { readCrd } from '../../src/generate/read-crd.ts'
import { recordsComplaint } from '../../src/generate/records-schema.ts'
import { externalSchema, shelfDefinition } from '../external/shelf.ts'
import { haulDefinition, sagasSchema } from '../saga/haul.ts'

const complaintOf = (external: object | 'none') =>
  recordsComplaint(readCrd(shelfDefinition(external) as never, 'shelf'), { external: ['box'], sagas: [] })
const { items } = externalSchema
const { providerID: _, ...unidentified } = items.properties

it('accepts a definition that keeps journal entries', () => {
  expect(complaintOf(externalSchema)).toBeUndefined()
})

it.each([
  { what: 'none', external: 'none' },
  { what: 'one that is no list', external: { type: 'object', properties: {} } },
  { what: 'a list of texts', external: { type: 'array', items: { type: 'string' } } },
  {
    what: 'records without the identity',
    external: { type: 'array', items: { ...items, properties: unidentified } },
  },
  {
    what: 'tokens without a generation',
    external: {
      type: 'array',
      items: {
        ...items,
        properties: { ...items.properties, token: { type: 'object', properties: { uid: { type: 'string' } } } },
      },
    },
  },
])('reports in one sentence the missing field if there is $what', ({ external }) => {
  expect(complaintOf(external as object | 'none')).toMatch(
    /^shelves\.example\.dev has no status\.external for records .* in v1/,
  )
})

it.each([
  { what: 'nothing is kept', sagas: 'none', kept: { external: [], sagas: [] }, complaint: undefined },
  { what: 'sagas are', sagas: sagasSchema, kept: { external: [], sagas: ['haul'] }, complaint: undefined },
  {
    what: 'sagas are not',
    sagas: 'none',
    kept: { external: [], sagas: ['haul'] },
    complaint: /^hauls\.example\.dev has no status\.sagas/,
  },
  {
    what: 'steps have no notes',
    sagas: {
      ...sagasSchema,
      items: {
        ...sagasSchema.items,
        properties: {
          ...sagasSchema.items.properties,
          steps: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
        },
      },
    },
    kept: { external: [], sagas: ['haul'] },
    complaint: /^hauls\.example\.dev has no status\.sagas/,
  },
])('detects whether journal entries of sagas are kept if $what', ({ sagas, kept, complaint }) => {
  const said = recordsComplaint(readCrd(haulDefinition(sagas as object | 'none') as never, 'haul'), kept)
  if (complaint === undefined) expect(said).toBeUndefined()
  else expect(said).toMatch(complaint)
})
