// Names of operators and controllers: they fit the API server's limits, and never equal those of others.
import { describe, expect, it } from 'vitest'
import {
  childManagerOf,
  clientManagerOf,
  identityOf,
  isChildManager,
  isStatusManager,
  ownedByValue,
} from '../../src/object/identity.ts'
import { labelsProblem } from '../../src/synth/metadata-rules.ts'

describe('ownedByValue', () => {
  it.each([
    ['databases.data.konverge.dev', 'databases.data.konverge.dev'],
    [`${'a'.repeat(50)}.example.com1`, `${'a'.repeat(50)}.example.com1`],
    [`${'a'.repeat(50)}.example.com.x`, expect.stringMatching(/^a{42}_[0-9a-f]{20}$/)],
    [`shops.${'very-'.repeat(40)}long.dev`, expect.stringMatching(/^shops\.(very-){7}v_[0-9a-f]{20}$/)],
  ])('maps %s to %s', (controller, value) => {
    expect(ownedByValue(controller)).toEqual(value)
    expect(labelsProblem({ 'konverge.dev/owned-by': ownedByValue(controller) })).toBeUndefined()
  })

  it('differs if only the ends of two long names differ', () => {
    const long = `shops.${'very-'.repeat(20)}long`
    expect(ownedByValue(`${long}.a`)).not.toBe(ownedByValue(`${long}.b`))
  })
})

describe('the name of an operator', () => {
  it.each(['a', 'konverge', 'shop-2', 'a'.repeat(40)])('may be %s', (name) => {
    expect(identityOf(name)).toMatchObject({ name, qualifiedName: `konverge.dev/${name}` })
  })

  it.each(['', 'Shop', '2shops', 'shop-', 'a.b', 'a/b', 'a'.repeat(41), 'shop\n'])(
    'cannot be %j, and one sentence says why',
    (name) => {
      expect(() => identityOf(name)).toThrow(
        expect.objectContaining({
          code: 'InvalidOperatorName',
          message: `an operator cannot be called '${name}'; use at most 40 of a-z, 0-9 and '-', begin with a letter and do not end with '-'`,
        }),
      )
    },
  )

  it('cannot be the name of the finalizer of earlier versions', () => {
    expect(() => identityOf('cleanup')).toThrow(
      "an operator cannot be called 'cleanup', which names a finalizer of konverge",
    )
  })
})

describe('childManagerOf', () => {
  const long = identityOf('a'.repeat(40))

  it.each([
    [identityOf('shop'), 'websites.example.com', 'shop/websites.example.com'],
    [long, `${'b'.repeat(63)}.example.com`, `${long.name}/${'b'.repeat(63)}.example.com`],
    [long, `${'b'.repeat(63)}.${'c'.repeat(100)}`, expect.stringMatching(/^a{40}\/b{63}\.c{2}_[0-9a-f]{20}$/)],
  ])('has at most 128 bytes for $name and %s', (operator, controller, manager) => {
    const made = childManagerOf(operator, controller)
    expect(made).toEqual(manager)
    expect(Buffer.byteLength(made)).toBeLessThanOrEqual(128)
    expect(isChildManager(made)).toBe(true)
  })

  it.each([
    undefined,
    'kubectl',
    'shop-status',
    'shop-parent',
    'before-first-apply',
    'crossplane.io/composed',
    'a/b/c',
  ])('is none for %s', (manager) => {
    expect(isChildManager(manager)).toBe(false)
  })
})

describe('clientManagerOf', () => {
  const shop = identityOf('shop')

  it.each([
    [undefined, 'shop-client'],
    ['nightly', 'shop-client:nightly'],
    ['gateway-status', 'shop-client:gateway-status'],
    ['c'.repeat(200), expect.stringMatching(/^shop-client:c{95}_[0-9a-f]{20}$/)],
  ])('with the user %s is no manager of the runtime', (user, manager) => {
    const made = clientManagerOf(shop, user)
    expect(made).toEqual(manager)
    expect(made.length).toBeLessThanOrEqual(128)
    expect([isChildManager(made), isStatusManager(made)]).toEqual([false, false])
  })

  it('never equals a manager of another operator with its name as a prefix', () => {
    const other = identityOf('shop-client')
    const managers = [other.parentManager, other.statusManager, other.eventManager, other.leaseManager]
    expect([...managers, childManagerOf(other, 'websites.example.com')]).not.toContain(clientManagerOf(shop))
  })
})
