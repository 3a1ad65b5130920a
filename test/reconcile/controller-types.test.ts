// What the compiler makes of controllers: the types that functions of a definition are given. `tsc -p test` checks this file.
import { describe, expectTypeOf, it } from 'vitest'
import { defineController, defineResource, type StatusWithConditions } from '../../src/index.ts'

interface ShopSpec {
  readonly image: string
}

interface ShopStatus extends StatusWithConditions {
  readonly url?: string
}

const Shop = defineResource<ShopSpec, ShopStatus>({
  ...{ group: 'example.com', version: 'v1', kind: 'Shop' },
  ...{ plural: 'shops', scope: 'Namespaced' },
})
const status = () => ({ fields: {}, conditions: [] })

describe('the resource that a function is given', () => {
  it('has no status in desired', () => {
    defineController(Shop, {
      owns: [],
      desired: (_, { object }) => {
        expectTypeOf(object.spec).toEqualTypeOf<ShopSpec>()
        expectTypeOf(object.status).toEqualTypeOf<undefined>()
        // @ts-expect-error The result is remembered, whatever the status is.
        void (() => object.status.url)
      },
      status,
    })
  })

  it('has its status in refuse, parting, repair and status', () => {
    type Seen = ShopStatus | undefined
    defineController(Shop, {
      owns: [],
      refuse: ({ object }) => void expectTypeOf(object.status).toEqualTypeOf<Seen>(),
      desired: () => {},
      parting: (_, { object }) => void expectTypeOf(object.status).toEqualTypeOf<Seen>(),
      repair: ({ object }) => void expectTypeOf(object.status).toEqualTypeOf<Seen>(),
      status: ({ object }) => {
        expectTypeOf(object.status).toEqualTypeOf<Seen>()
        return status()
      },
    })
  })
})
