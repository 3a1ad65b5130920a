// The NetworkPolicies of an install: the operator, and in each served namespace konverge's workers, database servers and stores. Policies
// add up: a policy of the namespace's owner opens what one of its pods needs besides, and the install of another operator that printed those of
// konverge's pods would widen them. Pure.
import { databaseSelectorLabel } from './database-server-names.ts'
import { kvSelectorLabel } from './kv-names.ts'
import type { Manifest } from './manifest.ts'
import { noNetwork, podNetworkLabel, workerPodLabel } from './worker-job.ts'

/** HTTPS, the API server's usual port besides, and PostgreSQL. */
export const usualEgressPorts: readonly number[] = [443, 5432, 6443]

const databasePort = 5432
const tcp = (port: number): Manifest => ({ port, protocol: 'TCP' })
/** Name lookups go anywhere: which pods answer them is the cluster's affair. */
const lookups: Manifest = { ports: [{ port: 53, protocol: 'UDP' }, tcp(53)] }

/** Every pod, which blocks of addresses do not select with all network plugins, and every other address but those of metadata services. */
const butMetadataServices: readonly Manifest[] = [
  { namespaceSelector: {} },
  { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.169.254/32'] } },
  { ipBlock: { cidr: '::/0', except: ['fd00:ec2::254/128'] } },
]

/**
 * In: health checks, scrapes. Out: name lookups and these ports, on any host: neither an API server nor a database has an address that
 * is known beforehand.
 */
export function operatorPolicySpec(
  matchLabels: Manifest,
  { ingressPorts, egressPorts }: { readonly ingressPorts: readonly number[]; readonly egressPorts: readonly number[] },
): Manifest {
  return {
    podSelector: { matchLabels },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ ports: ingressPorts.map(tcp) }],
    egress: [lookups, { ports: egressPorts.map(tcp) }],
  }
}

/** Of the pods of konverge's own kinds, by the end of the policy's name. */
export function dataPolicySpecs(egressPorts: readonly number[]): Readonly<Record<string, Manifest>> {
  return {
    // Databases and stores of backups; nothing connects to a worker. What the copy of a server runs has the network of its pod, and must not ask a
    // node's metadata service for the identity of the node. Of that service's address name lookups remain, which some clouds have there.
    workers: {
      podSelector: {
        matchExpressions: [
          { key: workerPodLabel, operator: 'Exists' },
          { key: podNetworkLabel, operator: 'NotIn', values: [noNetwork] },
        ],
      },
      policyTypes: ['Ingress', 'Egress'],
      egress: [lookups, { ports: egressPorts.map(tcp), to: butMetadataServices }],
    },
    // What the copy of a server runs, where the copy is on a volume.
    sealed: {
      podSelector: { matchLabels: { [podNetworkLabel]: noNetwork } },
      policyTypes: ['Ingress', 'Egress'],
    },
    // Clients from anywhere; out to other servers only, which logical replication follows.
    databases: {
      podSelector: having(databaseSelectorLabel),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: [tcp(databasePort)] }],
      egress: [lookups, { ports: [tcp(databasePort)] }],
    },
    // Every store chooses its port. Out to the other replicas only.
    stores: {
      podSelector: having(kvSelectorLabel),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{}],
      egress: [lookups, { to: [{ podSelector: having(kvSelectorLabel) }] }],
    },
  }
}

function having(key: string): Manifest {
  return { matchExpressions: [{ key, operator: 'Exists' }] }
}
