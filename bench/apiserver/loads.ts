// Loads of the benchmark: objects of 4 KiB of three kinds. One has hardly any validation, one a schema and rules in
// CEL, and one is built-in with defaults and a long validation. Both servers get the same.
import type { Json, JsonObject } from '../../src/base/json.ts'

export interface Load {
  readonly title: string
  /** Path of creates and lists. */
  readonly path: string
  /** Its text has `objectBytes` bytes. */
  object(index: number): JsonObject
}

export const objectBytes = 4_096

export const configMaps: Load = {
  title: 'ConfigMap',
  path: '/api/v1/namespaces/default/configmaps',
  object: (index) =>
    padded((filler) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: metadata(index),
      data: { 'settings.ini': filler, mode: 'fast', 'motd.txt': 'Nothing to see here.\n' },
    })),
}

export const statefulSets: Load = {
  title: 'StatefulSet',
  path: '/apis/apps/v1/namespaces/default/statefulsets',
  object: (index) =>
    padded((filler) => ({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: metadata(index),
      spec: {
        serviceName: 'store',
        replicas: 3,
        selector: { matchLabels: { app: 'store' } },
        template: {
          metadata: { labels: { app: 'store' } },
          spec: { containers: [container('store', 16), container('metrics', 6, filler)], volumes },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
          },
        ],
      },
    })),
}

export const shops: Load = {
  title: 'custom kind with rules',
  path: '/apis/bench.konverge.dev/v1/namespaces/default/shops',
  object: (index) =>
    padded((filler) => ({
      apiVersion: 'bench.konverge.dev/v1',
      kind: 'Shop',
      metadata: metadata(index),
      spec: {
        limit: 10,
        shards: Array.from({ length: 16 }, (_, shard) => ({
          name: `shard-${shard}`,
          replicas: 1 + (shard % 3),
          storage: '10Gi',
          settings: { cache: '64Mi', fsync: 'always', zone: `zone-${shard % 3}` },
        })),
        banner: filler,
      },
    })),
}

export const loads: readonly Load[] = [configMaps, shops, statefulSets]

/** Definition of the custom kind. */
export const shopDefinition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shops.bench.konverge.dev' },
  spec: {
    group: 'bench.konverge.dev',
    scope: 'Namespaced',
    names: { plural: 'shops', singular: 'shop', kind: 'Shop', listKind: 'ShopList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: shopSpec(), status: statusSchema() } } },
      },
    ],
  },
}

function shopSpec(): JsonObject {
  const shard = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', maxLength: 63, pattern: '^[a-z][a-z0-9-]*$' },
      replicas: { type: 'integer', minimum: 0, maximum: 100, default: 1 },
      storage: { type: 'string', maxLength: 20 },
      settings: {
        type: 'object',
        maxProperties: 16,
        additionalProperties: { type: 'string', maxLength: 64 },
      },
      isReadOnly: { type: 'boolean', default: false },
    },
  }
  return {
    type: 'object',
    required: ['shards'],
    properties: {
      limit: { type: 'integer', minimum: 1, default: 5 },
      banner: { type: 'string' },
      shards: {
        type: 'array',
        maxItems: 32,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: shard,
      },
    },
    'x-kubernetes-validations': [
      {
        rule: 'self.shards.all(shard, shard.replicas <= self.limit)',
        message: 'a shard has more replicas than the limit',
      },
      { rule: "self.shards.exists(shard, shard.name == 'shard-0')", message: 'the first shard is missing' },
      { rule: 'self.limit >= oldSelf.limit', message: 'the limit never goes down' },
    ],
  }
}

function statusSchema(): JsonObject {
  return { type: 'object', properties: { ready: { type: 'integer' } } }
}

function metadata(index: number): JsonObject {
  return {
    name: nameOf(index),
    namespace: 'default',
    labels: { app: 'store', 'app.kubernetes.io/instance': `store-${index % 100}` },
    annotations: { 'bench.konverge.dev/why': 'to be measured' },
  }
}

export function nameOf(index: number): string {
  return `object-${String(index).padStart(6, '0')}`
}

const volumes: Json = [
  { name: 'config', configMap: { name: 'store' } },
  { name: 'tmp', emptyDir: {} },
]

function container(name: string, variables: number, filler = ''): JsonObject {
  return {
    name,
    image: 'registry.example/store:1.2.3',
    args: ['--listen=:8080', `--banner=${filler}`],
    env: Array.from({ length: variables }, (_, index) => ({ name: `STORE_SETTING_${index}`, value: `value ${index}` })),
    ports: [{ name: name.slice(0, 5), containerPort: name === 'store' ? 8080 : 9090 }],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 5 },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/store' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  }
}

function padded(build: (filler: string) => JsonObject): JsonObject {
  const missing = objectBytes - JSON.stringify(build('')).length
  return build('x'.repeat(Math.max(0, missing)))
}
