// Attempts of a tenant on the API server: rights on the five kinds in one namespace, and none on any other object.
import { expect } from 'vitest'
import { type Attempt, condition, forbidden, harmless, type Outcome } from '../attempt.ts'
import { victimNamespace } from '../victim.ts'

const there = { namespace: victimNamespace }
const operatorNamespace = 'konverge-system'

type Act = Attempt['act']

const attempt = (does: string, act: Act, outcome: Outcome): Attempt => ({ attacker: 'tenant', does, act, outcome })

const shared = [{ name: 'shared', namespace: victimNamespace, access: 'ReadOnly' }]
const own = [{ name: 'mine', access: 'ReadWrite' }]
const provider = { server: { connectionSecretRef: { name: 'server' }, sslMode: 'disable' } }

const unreadable: Outcome = {
  sentence: 'The API server rejects the body before it parses it.',
  isRefusal: true,
  check: async ({ answers }) => {
    const last = answers.at(-1)
    expect([400, 413], last?.text.slice(0, 500)).toContain(last?.status)
    expect(last?.text).toMatch(/YAML/i)
  },
}

/** Requests that RBAC rejects. */
const rights: readonly Attempt[] = [
  attempt('lists the Secrets of the victim', ({ tenant }) => tenant.list('secret', there), forbidden),
  attempt(
    'reads the connection Secret of its own namespace',
    ({ tenant }) => tenant.get('secret', 'server'),
    forbidden,
  ),
  attempt('lists the Databases of the victim', ({ tenant }) => tenant.list('db', there), forbidden),
  attempt(
    'lists the Databases of all namespaces',
    ({ tenant }) => tenant.request({ method: 'GET', path: '/apis/data.konverge.dev/v1alpha1/databases' }),
    forbidden,
  ),
  attempt('deletes a Database of the victim', ({ tenant }) => tenant.delete('db', 'orders', there), forbidden),
  attempt(
    'creates a DatabaseUser in the namespace of the victim',
    ({ tenant }, name) =>
      tenant.create('dbu', name, { spec: { databases: [{ name: 'orders', access: 'Owner' }] } }, there),
    forbidden,
  ),
  ...(['db', 'dbu', 'bak', 'mig', 'kv'] as const).map((kind) =>
    attempt(
      `writes the status of its own ${kind === 'db' ? 'Database' : kind}`,
      ({ tenant }) => tenant.patch(kind, 'mine', { status: { phase: 'Ready' } }, { subresource: 'status' }),
      forbidden,
    ),
  ),
  attempt(
    'requests a token of the operator’s service account',
    ({ tenant }) =>
      tenant.request({
        method: 'POST',
        path: `/api/v1/namespaces/${operatorNamespace}/serviceaccounts/konverge/token`,
        body: { spec: { expirationSeconds: 600 } },
      }),
    forbidden,
  ),
  attempt(
    'takes the operator’s Lease',
    ({ tenant }) =>
      tenant.create('lease', 'konverge', { spec: { holderIdentity: 'x' } }, { namespace: operatorNamespace }),
    forbidden,
  ),
  attempt(
    'replaces the definition of a kind',
    ({ tenant }) => tenant.patch('crd', 'databases.data.konverge.dev', { spec: { scope: 'Cluster' } }),
    forbidden,
  ),
  attempt(
    'binds a role to itself',
    ({ tenant }, name) =>
      tenant.create('rolebinding', name, {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'ServiceAccount', name: 'tenant', namespace: tenant.namespace }],
      }),
    forbidden,
  ),
  attempt('creates a pod', ({ tenant }, name) => tenant.create('pod', name, { spec: { containers: [] } }), forbidden),
]

/** Objects that the API server accepts, and that affect only the tenant's own objects. */
const steering: readonly Attempt[] = [
  attempt(
    'creates a Database with a status',
    async ({ tenant }, name) => {
      const identity = { server: 'forged', database: 'orders' }
      await tenant.create('db', name, { spec: { provider, suspend: true }, status: { phase: 'Ready', identity } })
    },
    harmless('The API server drops the status.', {
      reasons: ['Paused'],
      check: async (stage, name) => {
        const { status } = (await stage.editor.peek('db', name)) ?? {}
        if (JSON.stringify(status ?? {}).includes('forged'))
          throw new Error(`the status was stored: ${JSON.stringify(status)}`)
      },
    }),
  ),
  attempt(
    'names a Database of the victim as the owner of its own Database, to delete both',
    async (stage, name) => {
      const ownerReferences = [await stage.ownerReference('db', 'orders')]
      await stage.tenant.create('dbu', name, { metadata: { ownerReferences }, spec: { databases: own } })
      const isGone = async () => (await stage.editor.peek('dbu', name)) === undefined
      await stage.until('the garbage collector to miss its owner', isGone)
    },
    harmless('The garbage collector deletes the attacker’s object; the victim’s Database stays.'),
  ),
  attempt(
    'claims the ApplySet of the victim’s Backup with 20,000 namespaces',
    async (stage, name) => {
      const many = (word: string) => Array.from({ length: 5_000 }, (_, at) => `${word}${at}`).join(',')
      const annotations = {
        'applyset.kubernetes.io/additional-namespaces': `${victimNamespace},${many('n')}`,
        'applyset.kubernetes.io/contains-group-kinds': `Secret,ConfigMap,${many('Kind')}`,
        'applyset.kubernetes.io/tooling': 'konverge.dev/konverge/v1',
      }
      const labels = { 'applyset.kubernetes.io/id': stage.setIdOf('Backup', 'nightly') }
      await stage.countingRequests(() =>
        stage.tenant.create('kv', name, { metadata: { annotations, labels }, spec: { image: 'valkey/valkey:8.0' } }),
      )
    },
    harmless(
      'The operator reads namespaces only from its own inventory; it sends no more requests than for any new resource.',
      {
        check: (stage) => stage.expectRequestsBelow(400),
      },
    ),
  ),
  ...(
    ['konverge.dev/adopt', 'konverge.dev/part-of', 'konverge.dev/inventory-token', 'konverge.dev/apply-order'] as const
  ).map((key) =>
    attempt(
      `writes ${key} with the victim’s values on its own resource`,
      async (stage, name) => {
        const values: Readonly<Record<string, string>> = {
          'konverge.dev/adopt': `DatabaseUser/${victimNamespace}/app`,
          'konverge.dev/part-of': stage.setIdOf('DatabaseUser', 'app'),
        }
        const annotations = { [key]: values[key] ?? '0' }
        await stage.tenant.create('dbu', name, { metadata: { annotations }, spec: { databases: shared } })
      },
      harmless('The annotation has an effect only on children in that parent’s namespace.'),
    ),
  ),
  attempt(
    'annotates a DatabaseUser of the victim’s Database to keep its roles at deletion',
    async (stage, name) => {
      const annotations = { 'konverge.dev/abandon-external': 'true' }
      await stage.tenant.create('dbu', name, { metadata: { annotations }, spec: { databases: shared } })
    },
    harmless('The annotation has no effect for a guest: the deletion waits, or removes the roles.'),
  ),
  attempt(
    'sends a Backup as YAML of 3,000 keys that each open 200 lists',
    async ({ tenant }, name) => {
      const body = Array.from({ length: 3_000 }, () => `? ${'['.repeat(200)}`).join('\n')
      const path = `${tenant.pathOf('bak', name)}?fieldManager=x&force=true`
      await tenant.request({ method: 'PATCH', path, body, contentType: 'application/apply-patch+yaml' })
    },
    unreadable,
  ),
  ...(['10ns', '-1s', '9999999999h', '0', 'NaN', `${'9'.repeat(4_000)}s`] as const).map((interval) =>
    attempt(
      `requests a reconcile every ${interval.length > 20 ? '10^4000 s' : interval}`,
      async ({ tenant }, name) => {
        const annotations = { 'konverge.dev/reconcile-interval': interval }
        await tenant.create('kv', name, { metadata: { annotations }, spec: { image: 'valkey/valkey:8.0' } })
      },
      ignored(/reconcile-interval/),
    ),
  ),
  attempt(
    'sets a reconcile-now token of 256 KiB',
    ({ tenant }, name) => {
      const annotations = { 'konverge.dev/reconcile-now': 'x'.repeat(250_000) }
      return tenant.create('kv', name, { metadata: { annotations }, spec: { image: 'valkey/valkey:8.0' } })
    },
    ignored(/reconcile-now has 250000 characters/),
  ),
  attempt(
    'keeps a finalizer on a DatabaseUser of the victim’s Database',
    ({ tenant }, name) =>
      tenant.create('dbu', name, { metadata: { finalizers: ['attacker.example/hold'] }, spec: { databases: shared } }),
    harmless('The attacker’s resource stays; the operator reconciles the victim’s resources.', {
      check: async (stage, name) => {
        await stage.until('his user to be Ready', () => stage.isReady('dbu', name))
        await stage.tenant.delete('dbu', name)
        await stage.settle()
        const { deletionTimestamp } = (await stage.editor.peek('dbu', name))?.metadata ?? {}
        if (deletionTimestamp === undefined) throw new Error('his user is not being deleted')
        await stage.tenant.patch('dbu', name, { metadata: { finalizers: null } })
      },
    }),
  ),
  ...podFields(),
]

/** The annotation of a store has no effect, and a condition reports it. */
function ignored(message: RegExp): Outcome {
  return { ...condition('kv', 'AnnotationIgnored True InvalidAnnotation', message), reasons: [] }
}

/** Pod fields that the schema of a ReplicatedKVStore does not have: they must not reach the pods. */
function podFields(): readonly Attempt[] {
  const fields: Readonly<Record<string, unknown>> = {
    hostNetwork: true,
    hostPID: true,
    serviceAccountName: 'konverge',
    automountServiceAccountToken: true,
    volumes: [{ name: 'host', hostPath: { path: '/' } }],
    initContainers: [{ name: 'own', image: 'evil', securityContext: { privileged: true } }],
    priorityClassName: 'system-node-critical',
  }
  return Object.entries(fields).map(([field, value]) =>
    attempt(
      `sets ${field} on the pods of a ReplicatedKVStore`,
      ({ tenant }, name) =>
        tenant.create('kv', name, {
          spec: { image: 'valkey/valkey:8.0', [field]: value, podTemplate: { [field]: value } },
        }),
      harmless('The API server drops the field; the pods do not have it.', {
        check: (stage, name) => stage.expectPods(name, (spec) => JSON.stringify(spec[field]) !== JSON.stringify(value)),
      }),
    ),
  )
}

export const tenantAttempts: readonly Attempt[] = [...rights, ...steering]
