// Nodes that kwok simulates, so that pods can be scheduled.

/** Returns node number `index`, from 0 to 99, with a capacity of a thousand pods. */
export function fakeNode(index: number) {
  const capacity = { cpu: '1000', memory: '4Ti', 'ephemeral-storage': '4Ti', pods: '1000' }
  const name = `node-${index}`
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/region': 'region-1',
        'topology.kubernetes.io/zone': `zone-${(index % 3) + 1}`,
      },
    },
    // Kwok takes pod addresses from this range; its default range has only 254.
    spec: { podCIDR: `10.${100 + index}.0.0/16`, podCIDRs: [`10.${100 + index}.0.0/16`] },
    status: { capacity, allocatable: capacity },
  }
}

export type FakeNode = ReturnType<typeof fakeNode>
