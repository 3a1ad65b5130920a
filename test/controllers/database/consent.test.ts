// Use of a Database from another namespace. Invariant: only namespaces that it admits by name or by labels may use it.
import { describe, expect, it } from 'vitest'
import { type ConsentInput, consentingNamespaces, hasConsent } from '../../../src/controllers/database/consent.ts'

import type { LiveObject } from '../../../src/index.ts'

const asked: ConsentInput = {
  allowedNamespaces: undefined,
  databaseNamespace: 'data',
  userNamespace: 'shop',
  namespaceLabels: { team: 'shop', tier: 'gold' },
}
const matching = (matchExpressions: readonly object[]) => ({ selector: { matchExpressions } })

const cases = [
  { who: 'its own namespace', when: { databaseNamespace: 'shop' }, may: true },
  { who: 'nobody else without consent', when: {}, may: false },
  { who: 'a namespace by name', when: { allowedNamespaces: { names: ['stock', 'shop'] } }, may: true },
  { who: 'no other than those by name', when: { allowedNamespaces: { names: ['stock'] } }, may: false },
  { who: 'every namespace by the empty selector', when: { allowedNamespaces: { selector: {} } }, may: true },
  {
    who: 'a namespace by its labels',
    when: { allowedNamespaces: { selector: { matchLabels: { team: 'shop' } } } },
    may: true,
  },
  {
    who: 'none that lacks one of the labels',
    when: { allowedNamespaces: { selector: { matchLabels: { team: 'shop', tier: 'silver' } } } },
    may: false,
  },
  { who: 'In', when: { allowedNamespaces: matching([{ key: 'tier', operator: 'In', values: ['gold'] }]) }, may: true },
  {
    who: 'In, another value',
    when: { allowedNamespaces: matching([{ key: 'tier', operator: 'In', values: ['tin'] }]) },
    may: false,
  },
  {
    who: 'NotIn',
    when: { allowedNamespaces: matching([{ key: 'tier', operator: 'NotIn', values: ['gold'] }]) },
    may: false,
  },
  {
    who: 'NotIn, without the label',
    when: { allowedNamespaces: matching([{ key: 'x', operator: 'NotIn', values: ['y'] }]) },
    may: true,
  },
  { who: 'Exists', when: { allowedNamespaces: matching([{ key: 'team', operator: 'Exists' }]) }, may: true },
  {
    who: 'Exists, without the label',
    when: { allowedNamespaces: matching([{ key: 'x', operator: 'Exists' }]) },
    may: false,
  },
  {
    who: 'DoesNotExist',
    when: { allowedNamespaces: matching([{ key: 'team', operator: 'DoesNotExist' }]) },
    may: false,
  },
  {
    who: 'an operator that nobody knows',
    when: { allowedNamespaces: matching([{ key: 'team', operator: 'Gt' }]) },
    may: false,
  },
  {
    who: 'nobody by labels that cannot be seen',
    when: { allowedNamespaces: { selector: {} }, namespaceLabels: undefined },
    may: false,
  },
]

describe('consent', () => {
  it.each(cases)('$who: $may', ({ when, may }) => {
    // Some rows have operators that the CRD does not have.
    expect(hasConsent({ ...asked, ...when } as ConsentInput)).toBe(may)
  })
})

describe('the namespaces that a consent admits', () => {
  const namespaces = [{ name: 'a', labels: { team: 'x' } }, { name: 'b', labels: { team: 'y' } }, { name: 'c' }].map(
    (metadata) =>
      ({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { uid: metadata.name, resourceVersion: '1', ...metadata },
      }) as LiveObject,
  )

  it.each([
    ['its own without a consent', undefined, ['home']],
    ['its own and those named', { names: ['b', 'gone'] }, ['b', 'gone', 'home']],
    ['its own and those selected', { selector: { matchLabels: { team: 'x' } } }, ['a', 'home']],
    ['all with an empty selector', { selector: {} }, ['a', 'b', 'c', 'home']],
  ])('are %s', (_, allowed, names) => {
    expect(consentingNamespaces('home', allowed, namespaces)).toEqual(names)
  })
})
