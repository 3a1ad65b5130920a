// Compile-time types of controllers: the inputs of the functions of a definition. `tsc -p test` checks this file.
import { describe, expectTypeOf, it } from 'vitest'
import {
  ConfigMap,
  Deployment,
  defineController,
  defineResource,
  findCondition,
  objectOf,
  type StatusWithConditions,
} from '../../src/index.ts'

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

/** Form that `konverge generate` writes for a CRD whose conditions have a plain string as their status. */
interface GeneratedStatus {
  readonly observedGeneration?: number
  readonly url?: string
  readonly conditions?: readonly GeneratedCondition[]
}

interface GeneratedCondition {
  readonly type?: string
  readonly status?: string
  readonly reason: string
  readonly lastTransitionTime?: string
}

const Generated = defineResource<ShopSpec, GeneratedStatus>(Shop)
const status = () => ({ fields: {}, conditions: [] })

describe('the resource that a function gets', () => {
  it('has no status in desired', () => {
    defineController(Shop, {
      owns: [],
      desired: (_, { object }) => {
        expectTypeOf(object.spec).toEqualTypeOf<ShopSpec>()
        expectTypeOf(object.status).toEqualTypeOf<undefined>()
        // @ts-expect-error The result is memoized, whatever the status is.
        void (() => object.status.url)
      },
      status,
    })
  })

  it('has its status in validate, preDelete, repair and status', () => {
    type Seen = ShopStatus | undefined
    defineController(Shop, {
      owns: [],
      validate: ({ object }) => void expectTypeOf(object.status).toEqualTypeOf<Seen>(),
      desired: () => {},
      preDelete: (_, { object }) => void expectTypeOf(object.status).toEqualTypeOf<Seen>(),
      repair: ({ object }) => void expectTypeOf(object.status).toEqualTypeOf<Seen>(),
      status: ({ object }) => {
        expectTypeOf(object.status).toEqualTypeOf<Seen>()
        return status()
      },
    })
  })
})

describe('a definition', () => {
  it('compiles with and without explicit types of its resource', () => {
    defineController(Shop, { owns: [Deployment], desired: () => [], status })
    defineController<ShopSpec, ShopStatus>(Shop, {
      owns: [Deployment],
      desired: (_, { object: { metadata } }) => [objectOf(Deployment, { metadata: { name: metadata.name } })],
      status: () => ({ fields: {}, conditions: [] }),
    })
    defineController<ShopSpec, ShopStatus, { was: string }>(Shop, {
      owns: [],
      observe: async ({ object }) => ({ was: object.status?.url ?? '' }),
      desired: (_, { facts }) => void expectTypeOf(facts).toEqualTypeOf<{ was: string }>(),
      status: () => ({ fields: { url: 'http://shop' }, conditions: [] }),
    })
  })

  it('infers the type of its facts from observe, which gets the status', () => {
    defineController(Shop, {
      owns: [],
      observe: async ({ object }) => ({ was: object.status?.url ?? '' }),
      desired: (_, { facts }) => void expectTypeOf(facts).toEqualTypeOf<{ was: string }>(),
      status: ({ facts }) => ({ fields: { url: facts?.was ?? '' }, conditions: [] }),
    })
  })

  it('needs no status, for built-in and custom kinds', () => {
    defineController(ConfigMap, { owns: [], desired: () => {} })
    defineController(ConfigMap, { owns: [], observe: async () => 1, desired: (_, { facts }) => void facts.toFixed() })
    defineController(Shop, { owns: [], desired: () => {} })
  })

  it('accepts a status type whose conditions have another form, and reports conditions of its own form', () => {
    defineController(Generated, {
      owns: [],
      observe: async ({ object }) => findCondition(object.status?.conditions, 'Ready')?.status ?? 'Unknown',
      desired: (_, { facts }) => void expectTypeOf(facts).toEqualTypeOf<string>(),
      status: ({ object }) => ({
        fields: { url: object.spec.image },
        conditions: [{ type: 'Ready', status: 'True', reason: 'Up', message: '' }],
      }),
    })
    defineController(Generated, {
      owns: [],
      desired: () => {},
      // @ts-expect-error A condition is True, False or Unknown.
      status: () => ({ fields: {}, conditions: [{ type: 'Ready', status: 'Maybe', reason: 'Up', message: '' }] }),
    })
  })

  it('is rejected for fields that the status does not have, and for unknown options', () => {
    defineController(Shop, {
      owns: [],
      desired: () => {},
      // @ts-expect-error `uri` is no field of the status.
      status: () => ({ fields: { uri: 'http://shop' }, conditions: [] }),
    })
    defineController(Shop, {
      owns: [],
      desired: () => {},
      status,
      // @ts-expect-error There is no such option.
      watch: [],
    })
  })
})
