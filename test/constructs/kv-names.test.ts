import { describe, expect, it } from 'vitest'
import { kvEndpoints, kvSelector, kvSelectorLabel, kvSelectorLabels } from '../../constructs/index.ts'

describe('kvEndpoints', () => {
  it('gives every replica the DNS name that it keeps', () => {
    expect(kvEndpoints({ name: 'cart', namespace: 'shop', replicas: 2, port: 7000 })).toEqual([
      'cart-0.cart-headless.shop.svc:7000',
      'cart-1.cart-headless.shop.svc:7000',
    ])
  })

  it('leaves the names of other replicas alone when one is added', () => {
    const endpoints = (replicas: number) => kvEndpoints({ name: 'cart', namespace: 'shop', replicas, port: 7000 })
    expect(endpoints(5).slice(0, 4)).toEqual(endpoints(4))
  })
})

describe('kvSelector', () => {
  it('says the same in text as the selector labels', () => {
    expect(kvSelectorLabels('cart')).toEqual({ [kvSelectorLabel]: 'cart' })
    expect(kvSelector('cart')).toBe('data.konverge.dev/replicatedkvstore=cart')
  })
})
