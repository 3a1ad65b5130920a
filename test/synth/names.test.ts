import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { childName, derivedNameLimit, isDnsLabel1035 } from '../../src/synth/names.ts'

describe('childName', () => {
  it.each([
    ['store', 'headless', 'store-headless'],
    ['my-store', 'client', 'my-store-client'],
    ['a', 'a'.repeat(61), `a-${'a'.repeat(61)}`],
  ])('joins %s and %s unchanged', (parent, leaf, name) => {
    expect(childName(parent, leaf)).toBe(name)
  })

  it.each([
    { why: 'a leaf of two words', parent: 'a', leaf: 'b-c', shape: /^a-b-c-x[0-9a-f]{10}$/ },
    { why: 'a parent with a dot', parent: 'my.store', leaf: 'pods', shape: /^my-store-pods-x[0-9a-f]{10}$/ },
    { why: 'a parent that starts with a digit', parent: '1st', leaf: 'pods', shape: /^n1st-pods-x[0-9a-f]{10}$/ },
    { why: 'a leaf that looks like a hash', parent: 'a', leaf: 'x0123456789', shape: /^a-x0123456789-x[0-9a-f]{10}$/ },
    {
      why: 'a name that is too long',
      parent: 'p'.repeat(60),
      leaf: 'headless',
      shape: /^p{42}-headless-x[0-9a-f]{10}$/,
    },
    { why: 'a leaf of no readable characters', parent: 'a', leaf: '__', shape: /^a-x[0-9a-f]{10}$/ },
  ])('adds a hash for $why', ({ parent, leaf, shape }) => {
    expect(childName(parent, leaf)).toMatch(shape)
  })

  const parents = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,70}[a-z0-9])?$/)
  const leaves = fc.oneof(
    fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?$/),
    fc.string(),
    fc.stringMatching(/^x[0-9a-f]{10}$/),
  )
  const limits = fc.integer({ min: 32, max: 63 })

  it('is always a DNS-1035 label within the limit', () => {
    fc.assert(
      fc.property(parents, leaves, limits, (parent, leaf, limit) => {
        const name = childName(parent, leaf, limit)
        expect(name.length <= limit && isDnsLabel1035(name), name).toBe(true)
      }),
    )
  })

  it('never gives two pairs the same name', () => {
    // Few letters and dashes: pairs that collide often in a plain join.
    const tight = fc.stringMatching(/^[ab]([-ab.]{0,4}[ab])?$/)
    const pair = fc.tuple(tight, tight)
    fc.assert(
      fc.property(
        fc.uniqueArray(pair, { minLength: 2, maxLength: 60, selector: ([parent, leaf]) => `${parent} ${leaf}` }),
        (pairs) => {
          expect(new Set(pairs.map(([parent, leaf]) => childName(parent, leaf))).size).toBe(pairs.length)
        },
      ),
    )
  })

  it('never gives a hashed name that is the plain name of another pair', () => {
    fc.assert(
      fc.property(parents, leaves, (parent, leaf) => {
        const name = childName(parent, leaf)
        const cut = name.lastIndexOf('-')
        const [otherParent, otherLeaf] = [name.slice(0, cut), name.slice(cut + 1)]
        fc.pre(otherParent !== parent || otherLeaf !== leaf)
        expect(childName(otherParent, otherLeaf)).not.toBe(name)
      }),
    )
  })

  it('distinguishes resources to which cdk8s gives the same name', () => {
    const names = ['my', 'my-default', 'my-resource', 'my.default'].map((parent) => childName(parent, 'svc'))
    expect(new Set(names).size).toBe(4)
  })
})

describe('derivedNameLimit', () => {
  it('leaves room for the suffixes of controllers', () => {
    expect(['CronJob.batch', 'StatefulSet.apps', 'Service'].map(derivedNameLimit)).toEqual([52, 52, undefined])
  })
})
