// Checks by the compiler that the generated types fit a controller: this file must compile, and the lines marked as
// errors must be errors.
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  ReplicatedKVStore,
  type ReplicatedKVStoreSpec,
  type ReplicatedKVStoreSpecInput,
  type ReplicatedKVStoreStatus,
} from '../../imports/index.ts'
import type { LiveObject, StatusWithConditions } from '../../src/object/object.ts'
import { apiVersionOf, type ObjectOf, type Resource } from '../../src/object/resource.ts'

describe('the descriptor', () => {
  it('is a Resource of its wire types', () => {
    const resource: Resource<ReplicatedKVStoreSpec, ReplicatedKVStoreStatus> = ReplicatedKVStore
    expect(apiVersionOf(resource)).toBe('data.konverge.dev/v1alpha1')
    expectTypeOf<ObjectOf<typeof ReplicatedKVStore>['spec']>().toEqualTypeOf<ReplicatedKVStoreSpec>()
    expectTypeOf<ObjectOf<typeof ReplicatedKVStore>>().toExtend<
      LiveObject<ReplicatedKVStoreSpec, ReplicatedKVStoreStatus>
    >()
    // @ts-expect-error a Resource of other types is another Resource
    const other: Resource<{ readonly version: string }> = ReplicatedKVStore
    expect(other).toBe(resource)
  })

  it('is read-only, and holds no types at run time', () => {
    expect(Object.isFrozen(ReplicatedKVStore)).toBe(true)
    expect('types' in ReplicatedKVStore).toBe(false)
  })
})

describe('the wire types', () => {
  it('have defaults on what is read, and not on what is written', () => {
    expectTypeOf<ReplicatedKVStoreSpec['replicas']>().toEqualTypeOf<number>()
    expectTypeOf<ReplicatedKVStoreSpec['storage']['size']>().toEqualTypeOf<string>()
    expectTypeOf<ReplicatedKVStoreSpec['pvcRetention']['whenScaled']>().toEqualTypeOf<'Retain' | 'Delete'>()
    expectTypeOf<ReplicatedKVStoreSpec>().toExtend<ReplicatedKVStoreSpecInput>()
    const written: ReplicatedKVStoreSpecInput = { image: 'valkey/valkey:8.0' }
    // @ts-expect-error the server fills it in
    const read: ReplicatedKVStoreSpec = written
    expect(read).toBe(written)
  })

  it('fit the status that the runtime writes', () => {
    expectTypeOf<ReplicatedKVStoreStatus>().toExtend<StatusWithConditions>()
  })
})
