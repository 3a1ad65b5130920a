// Controller that sets fields of its own resource: each Node gets a label with its number of CPUs. Outside this
// repository the first import reads: from 'konverge'.
import {
  addObject,
  compareQuantities,
  contribute,
  defineController,
  keyFor,
  type LiveObject,
  Node,
  objectOf,
  parseQuantity,
  valueAt,
} from '../../src/index.ts'

export const sizeLabel = 'example.com/size'

export const nodeLabels = defineController(Node, {
  owns: [],
  finalizer: false,
  watches: [
    {
      resource: Node,
      contributes: true,
      keysFor: ({ metadata }) => [keyFor(undefined, metadata.name)],
      digest: (node) => sizeOf(node) ?? null,
    },
  ],
  observe: async ({ object }) => ({ size: sizeOf(object) ?? null }),
  desired: (chart, { object: { metadata }, facts: { size } }) => {
    if (size === null) return
    contribute(addObject(chart, objectOf(Node, { metadata: { name: metadata.name, labels: { [sizeLabel]: size } } })))
  },
})

/** Undefined while the kubelet has not reported the CPUs. */
function sizeOf(node: LiveObject): 'small' | 'large' | undefined {
  const cpus = valueAt(node, 'status', 'capacity', 'cpu')
  const [count, many] = [typeof cpus === 'string' ? cpus : '', '16'].map(parseQuantity)
  if (count === undefined || many === undefined) return undefined
  return compareQuantities(count, many) < 0 ? 'small' : 'large'
}
