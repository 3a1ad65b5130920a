// Kinds of the stories by kind, plural, singular or short name, as kubectl accepts them.
import { Backup } from '../../imports/wire/backup.ts'
import { Database } from '../../imports/wire/database.ts'
import { DatabaseUser } from '../../imports/wire/database-user.ts'
import { Migration } from '../../imports/wire/migration.ts'
import { ReplicatedKVStore } from '../../imports/wire/replicated-kv-store.ts'
import {
  ConfigMap,
  CronJob,
  Deployment,
  defineResource,
  Job,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  type Resource,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
} from '../../src/index.ts'
import { CustomResourceDefinition, Node, PersistentVolume, StorageClass } from '../../src/object/built-in.ts'

function namespaced(group: string, version: string, kind: string, plural = `${kind.toLowerCase()}s`): Resource {
  return defineResource({ group, version, kind, plural, scope: 'Namespaced' })
}

function global(group: string, version: string, kind: string): Resource {
  return defineResource({ group, version, kind, plural: `${kind.toLowerCase()}s`, scope: 'Cluster' })
}

const rbac = 'rbac.authorization.k8s.io'
const kinds: readonly Resource[] = [
  ...[
    ConfigMap,
    CronJob,
    CustomResourceDefinition,
    Deployment,
    Job,
    Namespace,
    Pod,
    PodDisruptionBudget,
    Secret,
    Service,
  ],
  ...[Node, PersistentVolume, PersistentVolumeClaim, ServiceAccount, StatefulSet, StorageClass, ReplicatedKVStore],
  ...[Backup, Database, DatabaseUser, Migration],
  ...[namespaced(rbac, 'v1', 'Role'), namespaced(rbac, 'v1', 'RoleBinding')],
  ...[global(rbac, 'v1', 'ClusterRole'), global(rbac, 'v1', 'ClusterRoleBinding')],
  ...[namespaced('networking.k8s.io', 'v1', 'Ingress', 'ingresses')],
  ...[namespaced('networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies')],
  ...[namespaced('discovery.k8s.io', 'v1', 'EndpointSlice')],
  ...[namespaced('autoscaling', 'v2', 'HorizontalPodAutoscaler'), namespaced('coordination.k8s.io', 'v1', 'Lease')],
  ...['Bundle', 'Banner', 'Pruned'].map((kind) => namespaced('test.konverge.dev', 'v1', kind)),
  ...[namespaced('inventory.example.dev', 'v1', 'Shelf', 'shelves')],
  ...[namespaced('visits.example.dev', 'v1', 'Guest'), namespaced('visits.example.dev', 'v1', 'House')],
  ...[namespaced('shops.example.dev', 'v1', 'Shop'), namespaced('shops.example.dev', 'v1', 'Flyer', 'flyers')],
  ...[namespaced('status.example.dev', 'v1', 'Probe')],
  ...['Gadget', 'Part'].map((kind) => namespaced('fields.example.dev', 'v1', kind)),
  // The core/v1 form, with message and involvedObject.
  namespaced('', 'v1', 'Event'),
]
const shortNames: Readonly<Record<string, string>> = {
  crd: 'customresourcedefinitions',
  bak: 'backups',
  db: 'databases',
  dbu: 'databaseusers',
  kv: 'replicatedkvstores',
  mig: 'migrations',
  pdb: 'poddisruptionbudgets',
  pvc: 'persistentvolumeclaims',
}

export function kindOf(name: string): Resource {
  const wanted = (shortNames[name] ?? name).toLowerCase()
  const found = kinds.find(({ kind, plural }) => plural === wanted || kind.toLowerCase() === wanted)
  if (found === undefined) throw new Error(`no story has met the kind ${name} so far: add it here`)
  return found
}
