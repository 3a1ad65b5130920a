// Scripts of deletions among owners: a graph of at most six config maps, with finalizers and every propagation policy.
// The scripts read
// it when the garbage collector is idle.
import fc from 'fast-check'
import type { JsonObject } from '../../../../src/base/json.ts'
import { configMap, configMaps } from '../../kinds.ts'
import type { Step } from '../script.ts'
import { collection, step } from './objects.ts'

const nodes = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']

const list = step({ method: 'GET', path: collection(configMaps), query: { labelSelector: 'graph=yes' } }, 'settle')

const reference = fc
  .tuple(fc.nat(5), fc.boolean(), fc.integer({ min: 0, max: 3 }))
  .map(([owner, blockOwnerDeletion, luck]) => ({ owner, blockOwnerDeletion, isUnlucky: luck === 0 }))

function node(
  index: number,
  owners: readonly { owner: number; blockOwnerDeletion: boolean; isUnlucky: boolean }[],
  { isHeld, isLast }: { isHeld: boolean; isLast: boolean },
): Step {
  const ownerReferences = owners
    .filter(({ owner }) => owner < index)
    .map(({ owner, blockOwnerDeletion, isUnlucky }): JsonObject => {
      const name = nodes[owner] ?? ''
      // The collector deletes a dependent with an invalid owner at once, so no other step may run at that time.
      const uid = isUnlucky && isLast ? '00000000-0000-4000-8000-000000000000' : `{{uid:${name}}}`
      return { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion }
    })
  const metadata = {
    labels: { graph: 'yes' },
    ownerReferences,
    ...(isHeld ? { finalizers: ['example.com/hold'] } : {}),
  }
  return step({ method: 'POST', path: collection(configMaps), body: configMap(nodes[index] ?? '', {}, metadata) })
}

const deletion = fc
  .tuple(fc.nat(5), fc.constantFrom('Foreground', 'Background', 'Orphan', undefined))
  .map(([index, propagationPolicy]) =>
    step({
      method: 'DELETE',
      path: `${collection(configMaps)}/${nodes[index] ?? ''}`,
      ...(propagationPolicy === undefined ? {} : { body: { propagationPolicy } }),
    }),
  )

export const deletionSteps: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.array(fc.tuple(fc.array(reference, { maxLength: 2 }), fc.integer({ min: 0, max: 4 })), {
      minLength: 3,
      maxLength: 6,
      size: 'max',
    }),
    fc.array(deletion, { minLength: 1, maxLength: 3 }),
  )
  .map(([graph, deletions]) => [
    ...graph.map(([owners, held], index) =>
      node(index, owners, { isHeld: held === 0, isLast: index === graph.length - 1 }),
    ),
    list,
    ...deletions.flatMap((one) => [one, list]),
  ])
