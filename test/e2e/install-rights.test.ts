// Rights of a default install, as the API server decides them: full rights in the served namespace, no Secret
// elsewhere.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { install } from '../../src/cli/install.ts'
import { konverge as program } from '../../src/cli/konverge-program.ts'
import { Namespace } from '../../src/index.ts'
import type { KubeObject } from '../../src/object/object.ts'
import { defineResource } from '../../src/object/resource.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { kindsOfAccount, manifestsIn, rightsIn } from './rights.ts'
import { kindOf } from './story-kinds.ts'

const review = defineResource({
  ...{ group: 'authorization.k8s.io', version: 'v1' },
  ...{ kind: 'SubjectAccessReview', plural: 'subjectaccessreviews', scope: 'Cluster' },
})
const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']
const elsewhere = ['kube-system', 'konverge-system', 'shop', '']

async function printedBy(options: object): Promise<string> {
  let text = ''
  const write = (more: string) => {
    text += more
  }
  const given = {
    program,
    flags: {},
    includesDataPods: true,
    name: 'konverge',
    namespace: 'konverge-system',
    image: 'k:1',
    replicas: 2,
    controllers: [],
    metrics: 'protected' as const,
  }
  await install({ ...given, environment: {}, dryRun: true, write, ...options }, new AbortController().signal)
  return text
}

describe('a default install', () => {
  let cluster: TestCluster
  const may = async (user: string, attributes: object) => {
    const spec = { user, groups: ['system:authenticated'], resourceAttributes: attributes }
    const answer = await cluster.create(review, { metadata: {} as KubeObject['metadata'], spec }) // A review has no name.
    return (answer.status as { readonly allowed: boolean }).allowed // The status of a SubjectAccessReview.
  }

  beforeAll(async () => {
    cluster = await startCluster()
    await cluster.create(Namespace, { metadata: { name: 'shop' } })
    const manifests = manifestsIn(await printedBy({})).filter(({ kind }) => kindsOfAccount.test(kind))
    for (const manifest of manifests) await cluster.create(kindOf(manifest.kind), manifest as unknown as KubeObject) // As printed.
  })
  afterAll(() => cluster.stop())

  it.each(['secrets', 'configmaps'])('has no right on %s outside the namespace that it serves', async (resource) => {
    const operator = 'system:serviceaccount:konverge-system:konverge'
    expect(await may(operator, { verb: 'list', resource, namespace: 'default' })).toBe(true)
    for (const namespace of elsewhere) {
      for (const verb of verbs)
        expect(await may(operator, { verb, resource, namespace }), `${verb} ${namespace}`).toBe(false)
    }
  })

  it('creates no Jobs, pods or roles outside the served namespace', async () => {
    const operator = 'system:serviceaccount:konverge-system:konverge'
    const kinds = [
      { group: 'batch', resource: 'jobs' },
      { group: 'apps', resource: 'statefulsets' },
      { group: '', resource: 'pods' },
      { group: 'rbac.authorization.k8s.io', resource: 'rolebindings' },
    ]
    for (const kind of kinds) {
      for (const namespace of elsewhere) expect(await may(operator, { verb: 'create', namespace, ...kind })).toBe(false)
    }
  })

  it('grants the kinds to people by view, edit and admin, and grants no status', async () => {
    const roles = manifestsIn(await printedBy({})).filter(({ metadata }) => /:(view|edit)$/.test(metadata.name))
    expect(
      roles.map(({ metadata }) => [
        metadata.name,
        Object.keys(metadata.labels ?? {})
          .filter((key) => key.includes('aggregate'))
          .toSorted(),
      ]),
    ).toEqual([
      [
        'konverge-system:konverge:view',
        ['admin', 'edit', 'view'].map((role) => `rbac.authorization.k8s.io/aggregate-to-${role}`),
      ],
      [
        'konverge-system:konverge:edit',
        ['admin', 'edit'].map((role) => `rbac.authorization.k8s.io/aggregate-to-${role}`),
      ],
    ])
    const rules = roles.flatMap(({ rules: own = [] }) => own)
    expect(rules.map(({ resources = [], verbs }) => [resources.length, resources[0], verbs])).toEqual([
      [5, 'backups', ['get', 'list', 'watch']],
      [1, 'replicatedkvstores/scale', ['get']],
      [5, 'backups', ['create', 'update', 'patch', 'delete', 'deletecollection']],
      [1, 'replicatedkvstores/scale', ['update', 'patch']],
    ])
    expect(rules.flatMap(({ resources = [] }) => resources).filter((name) => /\/(?!scale$)/.test(name))).toEqual([])
  })

  it('grants the rights of an install for all namespaces, each in its namespace', async () => {
    const rightsOf = async (options: object) => new Set(rightsIn(manifestsIn(await printedBy(options))))
    expect(await rightsOf({})).toEqual(await rightsOf({ allNamespaces: true }))
  })

  it('confines the operator, its workers, database servers and stores by NetworkPolicies', async () => {
    const policies = manifestsIn(await printedBy({ namespaces: ['a', 'b'] })).filter(
      ({ kind }) => kind === 'NetworkPolicy',
    )
    expect(policies.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`)).toEqual([
      'konverge-system/konverge',
      ...['a', 'b'].flatMap((place) =>
        ['workers', 'sealed', 'databases', 'stores'].map((end) => `${place}/konverge-system.konverge.${end}`),
      ),
    ])
  })
})
