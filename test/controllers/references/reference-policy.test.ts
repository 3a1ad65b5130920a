// Tables of the rules for names in resources.
import { describe, expect, it } from 'vitest'
import {
  consentLabel,
  endpointRejection,
  imageRejection,
  secretRejection,
  storageClassRejection,
} from '../../../src/controllers/references/reference-policy.ts'
import type { LiveObject } from '../../../src/index.ts'

const secret = (labels?: Record<string, string>) => ({
  metadata: {
    ...{ namespace: 'shop', name: 'crm-server', uid: 'u1', resourceVersion: '1' },
    ...(labels === undefined ? {} : { labels }),
  },
})

describe('a Secret', () => {
  it.each([
    ['no label', undefined, {}, false],
    ['the label of the kind', { [consentLabel('Database')]: 'true' }, {}, true],
    ['the label with another value', { [consentLabel('Database')]: 'yes' }, {}, false],
    ['the label of another kind', { [consentLabel('ReplicatedKVStore')]: 'true' }, {}, false],
    ['its name on the list', undefined, { secrets: ['shop/crm-server'] }, true],
    ['its namespace on the list', undefined, { secrets: ['media/*', 'shop/*'] }, true],
    ['a namespace of which its own is the beginning', undefined, { secrets: ['shop-b/*'] }, false],
    ['its name in another namespace on the list', undefined, { secrets: ['media/crm-server'] }, false],
    ['the name of a member of every object', { constructor: 'true' }, {}, false],
  ])('with %s', (_, labels, policy, isAllowed) => {
    expect(secretRejection(secret(labels), 'Database', policy) === undefined).toBe(isAllowed)
  })

  const label = consentLabel('Database')
  const manager = 'konverge/databaseusers.data.konverge.dev'
  const applied = (fieldsV1: object, by = manager, operation: 'Apply' | 'Update' = 'Apply') => {
    const managedFields = [{ manager: by, operation, apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }]
    const { metadata } = secret({ [label]: 'true' })
    return { metadata: { ...metadata, managedFields } as LiveObject['metadata'] } // JSON, as the API server returns it.
  }
  const labelled = { 'f:metadata': { 'f:labels': { [`f:${label}`]: {} } } }

  it.each([
    ['the label of a person beside the operator’s fields', applied({ 'f:data': { 'f:host': {} } }), true],
    ['the label of another manager', applied(labelled, 'kubectl-label', 'Update'), true],
    ['the label that the operator applied', applied(labelled), false],
    ['the label that an earlier version applied', applied(labelled, 'konverge'), false],
    ['the label that another operator applied', applied(labelled, 'shop/websites.example.com'), false],
  ])('with %s', (_, metadata, isAllowed) => {
    expect(secretRejection(metadata, 'Database', {}) === undefined).toBe(isAllowed)
  })

  it('that the operator wrote is usable by no list, and the one that the operator labelled reports it', () => {
    const written = { ...labelled, 'f:data': { 'f:host': {} } }
    const rejection = secretRejection(applied(written), 'Database', { secrets: ['*'] })
    expect(rejection?.message).toBe(
      `Secret crm-server has the label ${label} from the spec of a resource, which opens nothing; take it out of that spec, ` +
        `and if the Secret is yours to give, run then: kubectl label secret crm-server -n shop ${label}=true`,
    )
  })

  it('without a usage label reports the command that adds it', () => {
    expect(secretRejection(secret(), 'DatabaseUser', {})).toEqual({
      reason: 'SecretNotAllowed',
      message:
        'Secret crm-server does not allow a DatabaseUser to use it; if it is yours to give, run: ' +
        'kubectl label secret crm-server -n shop data.konverge.dev/usable-by-databaseuser=true',
    })
  })
})

describe('a list', () => {
  it.each([
    ['postgres:18', 'postgres:18', true],
    ['postgres:18', 'postgres:180', false],
    ['postgres:*', 'postgres:18', true],
    ['postgres:*', 'evil.example/postgres:18', false],
    ['registry.example/*', 'registry.example.evil.example/x', false],
    ['registry.example/*@sha256:*', 'registry.example/db@sha256:00', true],
    ['registry.example/*@sha256:*', 'registry.example/db:latest', false],
    ['*', '', true],
    ['a*a', 'a', false],
    ['a*b*c', 'abbc', true],
    ['a*b*c', 'acb', false],
    ['a*bc*c', 'abc', false],
    ['', 'x', false],
  ])('with %j for image %j', (pattern, image, isAllowed) => {
    expect(imageRejection(image, { images: [pattern] }) === undefined).toBe(isAllowed)
  })

  it('that is absent allows everything', () => {
    expect(imageRejection('x', {})).toBeUndefined()
    expect(endpointRejection('x', {})).toBeUndefined()
    expect(storageClassRejection('x', {})).toBeUndefined()
  })

  it('is named in its rejections', () => {
    expect(endpointRejection('169.254.169.254', { endpoints: ['*.db.example', '10.*'] })).toEqual({
      reason: 'EndpointNotAllowed',
      message: 'this operator does not allow host 169.254.169.254; its --allow-endpoint has *.db.example, 10.*',
    })
    expect(storageClassRejection('fast', { storageClasses: ['standard'] })).toMatchObject({
      reason: 'StorageClassNotAllowed',
    })
  })

  it('accepts a host in any case and with a final dot, and always the default class', () => {
    expect(endpointRejection('CRM.db.example.', { endpoints: ['*.db.example'] })).toBeUndefined()
    expect(storageClassRejection(undefined, { storageClasses: [] })).toBeUndefined()
    expect(storageClassRejection('', { storageClasses: ['standard'] })).toBeDefined()
  })
})
