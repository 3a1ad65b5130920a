// NetworkPolicies of an install: for the operator, and in each served namespace for konverge's workers, database
// servers and stores. Policies are additive: the owner of a namespace opens more for its pods by another policy. An
// install of another operator with policies for konverge's pods would widen them too. Pure.
import { databaseSelectorLabel } from './database-server-names.ts'
import { kvSelectorLabel } from './kv-names.ts'
import type { Manifest } from './manifest.ts'
import { noNetwork, podNetworkLabel, workerPodLabel } from './worker-job.ts'

/** HTTPS, the usual port of the API server, and PostgreSQL. */
export const usualEgressPorts: readonly number[] = [443, 5432, 6443]

const databasePort = 5432
const tcp = (port: number): Manifest => ({ port, protocol: 'TCP' })
/** DNS goes to any address: the cluster decides which pods answer. */
const lookups: Manifest = { ports: [{ port: 53, protocol: 'UDP' }, tcp(53)] }

/**
 * Every pod, which some network plugins do not select by address blocks, and every other address except those of
 * metadata services.
 */
const butMetadataServices: readonly Manifest[] = [
  { namespaceSelector: {} },
  { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.169.254/32'] } },
  { ipBlock: { cidr: '::/0', except: ['fd00:ec2::254/128'] } },
]

/**
 * Ingress: health checks and scrapes. Egress: DNS and these ports, on any host, because the addresses of API servers
 * and databases are not known beforehand.
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

/** Policies of the pods of konverge's own kinds, by the suffix of the policy's name. */
export function dataPolicySpecs(egressPorts: readonly number[]): Readonly<Record<string, Manifest>> {
  return {
    // Workers reach databases and backup stores; nothing connects to a worker. Code in a physical copy shares the
    // network of its pod, and must not obtain the node's identity from the metadata service. DNS to that address stays
    // open, because some clouds serve it there.
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
    // Pods that run code of a physical copy, if the copy is on a volume.
    sealed: {
      podSelector: { matchLabels: { [podNetworkLabel]: noNetwork } },
      policyTypes: ['Ingress', 'Egress'],
    },
    // Ingress from any client; egress to other servers only, for logical replication.
    databases: {
      podSelector: having(databaseSelectorLabel),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: [tcp(databasePort)] }],
      egress: [lookups, { ports: [tcp(databasePort)] }],
    },
    // Every store chooses its port. Egress to the other replicas only.
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
