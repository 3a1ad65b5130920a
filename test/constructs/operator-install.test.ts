import { BlockList, isIPv6 } from 'node:net'
import { App, Chart } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { OperatorInstall, type OperatorInstallProps, operatorManifests } from '../../constructs/index.ts'
import { at } from './render.ts'

const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] })
const rules = { namespaced: [rule('services')], cluster: [rule('nodes')], home: [rule('leases')] }
const install = (props: Partial<OperatorInstallProps> = {}) =>
  operatorManifests({ name: 'konverge', image: 'shop:1', rules, ...props })

/** `Role shop/konverge`, in order. */
const namesOf = (objects: readonly object[]) =>
  objects.map((object) => {
    const namespace = at(object, 'metadata', 'namespace')
    return `${at(object, 'kind')} ${namespace === undefined ? '' : `${namespace}/`}${at(object, 'metadata', 'name')}`
  })
const only = (objects: readonly object[], kind: string) => {
  const found = objects.filter((object) => at(object, 'kind') === kind)
  expect(found).toHaveLength(1)
  return found[0]
}

describe('an operator for all namespaces', () => {
  it('renders these objects, in an applicable order', () => {
    expect(namesOf(install({ replicas: 2 }))).toEqual([
      'Namespace konverge-system',
      'ServiceAccount konverge-system/konverge',
      'ClusterRole konverge-system:konverge',
      'ClusterRoleBinding konverge-system:konverge',
      'Role konverge-system/konverge',
      'RoleBinding konverge-system/konverge',
      'Service konverge-system/konverge',
      'Deployment konverge-system/konverge',
      'PodDisruptionBudget konverge-system/konverge',
    ])
  })

  it('has its rights by one ClusterRole, except those in its own namespace', () => {
    const objects = install()
    expect(at(only(objects, 'ClusterRole'), 'rules')).toEqual([rule('services'), rule('nodes')])
    expect(at(only(objects, 'Role'), 'rules')).toEqual([rule('leases')])
    for (const kind of ['ClusterRoleBinding', 'RoleBinding']) {
      expect(at(only(objects, kind), 'subjects')).toEqual([
        { kind: 'ServiceAccount', name: 'konverge', namespace: 'konverge-system' },
      ])
    }
  })

  it('has no PodDisruptionBudget for a single pod, which it would only block', () => {
    expect(namesOf(install({ replicas: 1 })).join()).not.toContain('PodDisruptionBudget')
  })
})

describe('an operator of another name', () => {
  it('shares no object with the first', () => {
    const names = new Set(namesOf(install()))
    expect(namesOf(install({ name: 'websites' })).filter((name) => names.has(name))).toEqual([])
  })
})

describe('a named shard', () => {
  const shard = (name: string) => install({ shard: name, kinds: [{ group: 'a.example', plural: 'bs' }] })

  it('has its own objects, and shares the namespace and the roles for people', () => {
    const us = new Map(shard('us').map((object) => [namesOf([object])[0], object]))
    const shared = shard('eu').filter((object) => us.has(namesOf([object])[0]))
    expect(namesOf(shared)).toEqual([
      'Namespace konverge-system',
      'ClusterRole konverge-system:konverge:view',
      'ClusterRole konverge-system:konverge:edit',
    ])
    for (const object of shared) expect(us.get(namesOf([object])[0])).toEqual(object)
    expect(namesOf(shard('eu'))).toContain('Deployment konverge-system/konverge-eu')
  })

  it('selects its own pods', () => {
    const spec = at(only(shard('eu'), 'Deployment'), 'spec')
    expect(at(spec, 'selector', 'matchLabels')).toEqual({ 'konverge.dev/operator': 'konverge-eu' })
    expect(at(spec, 'template', 'spec', 'serviceAccountName')).toBe('konverge-eu')
  })
})

describe('the pods of an operator', () => {
  it('get the requested time to stop', () => {
    const secondsOf = (objects: readonly object[]) =>
      at(only(objects, 'Deployment'), 'spec', 'template', 'spec', 'terminationGracePeriodSeconds')
    expect(secondsOf(install())).toBe(30)
    expect(secondsOf(install({ terminationGracePeriodSeconds: 90 }))).toBe(90)
    expect(() => install({ terminationGracePeriodSeconds: 0 })).toThrow(/cannot stop in 0 seconds/)
  })
})

describe('an operator for some namespaces', () => {
  it('has a Role in each, and a ClusterRole only for cluster-scoped objects', () => {
    const objects = install({ namespaces: ['shop', 'games'] })
    expect(namesOf(objects).filter((name) => name.includes('Role'))).toEqual([
      'ClusterRole konverge-system:konverge',
      'ClusterRoleBinding konverge-system:konverge',
      'Role shop/konverge-system:konverge',
      'RoleBinding shop/konverge-system:konverge',
      'Role games/konverge-system:konverge',
      'RoleBinding games/konverge-system:konverge',
      'Role konverge-system/konverge',
      'RoleBinding konverge-system/konverge',
    ])
    expect(at(only(objects, 'ClusterRole'), 'rules')).toEqual([rule('nodes')])
  })

  it('has no ClusterRole at all if it needs nothing outside namespaces', () => {
    const objects = install({ namespaces: ['shop'], rules: { ...rules, cluster: [] } })
    expect(namesOf(objects).join()).not.toContain('ClusterRole')
  })

  it('may run in one of them', () => {
    const names = namesOf(install({ namespaces: ['konverge-system'] }))
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('the pods', () => {
  const spec = (props: Partial<OperatorInstallProps> = {}) =>
    at(only(install(props), 'Deployment'), 'spec', 'template', 'spec')

  it('conform to the Pod Security Standard restricted, and write nothing to their disk', () => {
    expect(spec()).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    })
  })

  it('get the token of the service account, and no other container does', () => {
    expect(spec()).toMatchObject({ automountServiceAccountToken: true, serviceAccountName: 'konverge' })
    expect(only(install(), 'ServiceAccount')).toMatchObject({ automountServiceAccountToken: false })
  })

  it('are selected by Deployment and Service, and run the given arguments', () => {
    const objects = install({ args: ['run', '--namespaces=shop'], resources: { limits: { memory: '1Gi' } } })
    const deployment = only(objects, 'Deployment')
    const labels = at(deployment, 'spec', 'template', 'metadata', 'labels')
    expect(labels).toMatchObject(at(deployment, 'spec', 'selector', 'matchLabels') as object)
    expect(labels).toMatchObject(at(only(objects, 'Service'), 'spec', 'selector') as object)
    expect(at(deployment, 'spec', 'template', 'spec', 'containers', 0)).toMatchObject({
      image: 'shop:1',
      args: ['run', '--namespaces=shop'],
      resources: { limits: { memory: '1Gi' } },
    })
  })

  it('may be isolated from all but the API server', () => {
    expect(namesOf(install()).join()).not.toContain('NetworkPolicy')
    expect(at(only(install({ networkPolicy: { egressPorts: [8443] } }), 'NetworkPolicy'), 'spec')).toEqual({
      podSelector: { matchLabels: { 'konverge.dev/operator': 'konverge' } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: [{ port: 8080, protocol: 'TCP' }] }],
      egress: [
        {
          ports: [
            { port: 53, protocol: 'UDP' },
            { port: 53, protocol: 'TCP' },
          ],
        },
        { ports: [{ port: 8443, protocol: 'TCP' }] },
      ],
    })
  })
})

it('renders no NetworkPolicy for pods of another operator unless requested', () => {
  const policies = (networkPolicy: NonNullable<OperatorInstallProps['networkPolicy']>) =>
    namesOf(install({ name: 'tenants', namespaces: ['shop', 'games'], networkPolicy })).filter((name) =>
      name.startsWith('NetworkPolicy'),
    )
  const own = 'NetworkPolicy tenants-system/tenants'
  expect(policies({})).toEqual([own])
  expect(policies({ egressPorts: [443] })).toEqual([own])
  expect(policies({ includesDataPods: true })).toEqual([
    own,
    ...['shop', 'games'].flatMap((namespace) =>
      ['workers', 'sealed', 'databases', 'stores'].map(
        (end) => `NetworkPolicy ${namespace}/tenants-system.tenants.${end}`,
      ),
    ),
  ])
})

describe('the NetworkPolicy of workers', () => {
  const networkPolicy = { egressPorts: [80, 443], includesDataPods: true }
  const policies = install({ namespaces: ['shop'], networkPolicy })
  const workers = policies.find((object) => at(object, 'metadata', 'name') === 'konverge-system.konverge.workers')
  // Rules of this construct.
  const rules = at(workers ?? {}, 'spec', 'egress') as readonly EgressRule[]

  /** Rules for addresses without a pod. */
  const allows = (address: string, port: number) =>
    rules.some(
      ({ ports, to }) =>
        ports.some((one) => one.port === port && one.protocol === 'TCP') &&
        (to === undefined || to.some(({ ipBlock }) => ipBlock !== undefined && covers(ipBlock, address))),
    )

  it.each([
    ['the metadata service of a node', '169.254.169.254', 80, false],
    ['the same, by another port', '169.254.169.254', 443, false],
    ['the same, by IPv6', 'fd00:ec2::254', 80, false],
    ['EKS Pod Identity', '169.254.170.23', 80, true],
    ['a store', '203.0.113.7', 443, true],
    ['a store, by IPv6', '2001:db8::7', 443, true],
    ['another port', '203.0.113.7', 8443, false],
  ])('allows them to reach %s: %s, port %i: %s', (_, address, port, isAllowed) => {
    expect(allows(address, port)).toBe(isAllowed)
  })

  it('allows them to reach pods of every namespace, which some plugins do not select by address blocks', () => {
    const toPods = rules.filter(({ to }) => to?.some(({ namespaceSelector }) => namespaceSelector !== undefined))
    expect(toPods.map(({ ports }) => ports.map(({ port }) => port))).toEqual([[80, 443]])
  })
})

it('has a NetworkPolicy that isolates a sealed worker, which no other policy of workers selects', () => {
  const policies = install({ namespaces: ['shop'], networkPolicy: { includesDataPods: true } })
  const specOf = (end: string) =>
    at(policies.find((object) => at(object, 'metadata', 'name') === `konverge-system.konverge.${end}`) ?? {}, 'spec')
  const matchLabels = { 'konverge.dev/network': 'none' }
  expect(specOf('sealed')).toEqual({ podSelector: { matchLabels }, policyTypes: ['Ingress', 'Egress'] })
  expect(specOf('workers')).toMatchObject({
    podSelector: {
      matchExpressions: [
        { key: 'konverge.dev/worker', operator: 'Exists' },
        { key: 'konverge.dev/network', operator: 'NotIn', values: ['none'] },
      ],
    },
  })
})

interface EgressRule {
  readonly ports: readonly { readonly port: number; readonly protocol: string }[]
  readonly to?: readonly {
    readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
    readonly namespaceSelector?: object
  }[]
}

function covers(
  { cidr, except = [] }: { readonly cidr: string; readonly except?: readonly string[] },
  address: string,
) {
  const contains = (block: string) => {
    const [net = '', prefix] = block.split('/')
    const list = new BlockList()
    list.addSubnet(net, Number(prefix), isIPv6(net) ? 'ipv6' : 'ipv4')
    // An IPv4 address is also an IPv6 address, mapped.
    return isIPv6(net) === isIPv6(address) && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return contains(cidr) && !except.some(contains)
}

describe('the construct', () => {
  it('renders the same objects wherever it is in a tree, and exposes its parts', () => {
    const chart = new Chart(new App(), 'platform')
    const props = { name: 'konverge', image: 'shop:1', rules, replicas: 3 }
    const { deployment, podDisruptionBudget } = new OperatorInstall(chart, 'x', props)
    expect(chart.toJson()).toEqual(install({ replicas: 3 }))
    expect(deployment.kind).toBe('Deployment')
    expect(podDisruptionBudget?.name).toBe('konverge')
  })

  it('lets two operators run side by side', () => {
    const names = [
      ...namesOf(install({ namespaces: ['shop'] })),
      ...namesOf(install({ namespaces: ['shop'], namespace: 'other-system' })),
    ]
    expect(new Set(names).size).toBe(names.length)
  })

  it('treats a namespace that is named twice as one', () => {
    expect(install({ namespaces: ['shop', 'shop'] })).toEqual(install({ namespaces: ['shop'] }))
  })

  it.each([
    [{ name: 'Konverge' }, /objects cannot take this name; use at most 63 of a-z/],
    [{ name: '1st' }, /nor begin with a digit/],
    [{ namespace: 'a_b' }, /'a_b' cannot be a namespace; use/],
    [{ namespaces: ['ok', '-'] }, /'-' cannot be a namespace/],
    [{ namespaces: [] }, /no namespace to look after; name one, or leave namespaces out/],
    [{ replicas: 0 }, /0 replicas cannot do any work; use a whole number from 1/],
    [{ replicas: 1.5 }, /1.5 replicas/],
  ])('rejects %o', (props, message) => {
    expect(() => install(props)).toThrow(message)
    expect(() => install(props)).toThrow(RangeError)
  })
})
