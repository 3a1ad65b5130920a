// Attempts of a tenant on an operator with `--allow-*` lists and without `--local-addresses`: a spec or a Service names
// a value outside.
import type { ReferencePolicy } from '../../../src/controllers/references/reference-policy.ts'

export interface BoundedAttempt {
  readonly attacker: 'tenant'
  readonly does: string
  readonly sentence: string
  readonly kind: 'Backup' | 'Database' | 'ReplicatedKVStore'
  readonly spec: object
  /** Reason of the condition Ready. */
  readonly reason: string
  readonly message: RegExp
}

export const bounds: ReferencePolicy = {
  images: ['registry.example/*'],
  endpoints: ['*.allowed.example'],
  storageClasses: ['fast'],
}

function attempt(does: string, parts: Pick<BoundedAttempt, 'kind' | 'spec' | 'reason' | 'message'>): BoundedAttempt {
  const sentence = `The ${parts.kind} gets Ready=False, reason ${parts.reason}; the operator creates nothing and dials no host.`
  return { attacker: 'tenant', does, sentence, ...parts }
}

const image = 'registry.example/valkey:8.0'
const server = (name: string) => ({ provider: { server: { connectionSecretRef: { name }, sslMode: 'disable' } } })
const inCluster = (provider: object) => ({ version: '18', provider: { inCluster: provider } })
const s3 = (endpoint: string) => ({
  databaseRef: { name: 'mine' },
  target: { s3: { bucket: 'loot', endpoint, credentialsSecretRef: { name: 'keys' } } },
})
const imageRejected = { reason: 'ImageNotAllowed', message: /--allow-image has registry\.example/ }
const hostRejected = { reason: 'EndpointNotAllowed', message: /--allow-endpoint has \*\.allowed\.example/ }
const classRejected = { reason: 'StorageClassNotAllowed', message: /--allow-storage-class has fast/ }

export const boundedAttempts: readonly BoundedAttempt[] = [
  attempt('runs an image outside --allow-image in a ReplicatedKVStore', {
    kind: 'ReplicatedKVStore',
    spec: { image: 'evil.example/valkey:8.0' },
    ...imageRejected,
  }),
  attempt('runs an image whose path begins like an allowed registry', {
    kind: 'ReplicatedKVStore',
    spec: { image: 'evil.example/registry.example/valkey:8.0' },
    ...imageRejected,
  }),
  attempt('runs an image outside --allow-image as a server', {
    kind: 'Database',
    spec: inCluster({ image: 'evil.example/postgres:18' }),
    ...imageRejected,
  }),
  attempt('uses a storage class outside --allow-storage-class for a ReplicatedKVStore', {
    kind: 'ReplicatedKVStore',
    spec: { image, storageClassName: 'standard' },
    ...classRejected,
  }),
  attempt('uses a storage class outside --allow-storage-class for a server', {
    kind: 'Database',
    spec: inCluster({ image: 'registry.example/postgres:18', storage: { size: '1Gi', storageClassName: 'standard' } }),
    ...classRejected,
  }),
  attempt('connects to a host outside --allow-endpoint', {
    kind: 'Database',
    spec: server('outside'),
    ...hostRejected,
  }),
  attempt('connects to a host that only begins like an allowed one', {
    kind: 'Database',
    spec: server('suffix'),
    ...hostRejected,
  }),
  attempt('sends artifacts to a host outside --allow-endpoint', {
    kind: 'Backup',
    spec: s3('http://evil.example'),
    ...hostRejected,
  }),
  attempt('sends artifacts to an address of the cluster that is not in --allow-endpoint', {
    kind: 'Backup',
    spec: s3('http://169.254.169.254'),
    ...hostRejected,
  }),
]

/** Hosts of the connection Secrets, by name. */
export const hosts: Readonly<Record<string, string>> = {
  outside: '127.0.0.1',
  suffix: 'db.allowed.example.evil.example',
}

/** Executed by dialled-service.test.ts, which records every address that the operator dials. */
export const localAddressAttempt = {
  attacker: 'editor',
  does: 'redirects the operator by konverge.dev/local-address on the Service of its own server',
  sentence: 'An operator without --local-addresses dials the name of the Service.',
} as const
