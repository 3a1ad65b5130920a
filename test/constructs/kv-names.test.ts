import { describe, expect, it } from 'vitest'
import { kvEndpoints, kvSelector, kvSelectorLabel, kvSelectorLabels } from '../../constructs/index.ts'

describe('kvEndpoints', () => {
  it('gives every replica its stable DNS name', () => {
    expect(kvEndpoints({ name: 'cart', namespace: 'shop', replicas: 2, port: 7000 })).toEqual([
      'cart-0.cart-headless.shop.svc:7000',
      'cart-1.cart-headless.shop.svc:7000',
    ])
  })

  it('leaves the names of other replicas unchanged when one is added', () => {
    const endpoints = (replicas: number) => kvEndpoints({ name: 'cart', namespace: 'shop', replicas, port: 7000 })
    expect(endpoints(5).slice(0, 4)).toEqual(endpoints(4))
  })
})

describe('kvSelector', () => {
  it('equals the selector labels as text', () => {
    expect(kvSelectorLabels('cart')).toEqual({ [kvSelectorLabel]: 'cart' })
    expect(kvSelector('cart')).toBe('data.konverge.dev/replicatedkvstore=cart')
  })
})
