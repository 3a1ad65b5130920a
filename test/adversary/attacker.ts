// Attackers as values: the rights of each. The fixture grants exactly these, so that the API server and PostgreSQL enforce them.
import type { AccessRule } from '../control-plane/control-plane-client.ts'

export type AttackerName =
  | 'tenant'
  | 'editor'
  | 'owner login'
  | 'writer login'
  | 'plain login'
  | 'hostile server'
  | 'hostile store'
  | 'neighbour'
  | 'web page'
  | 'machine user'

export interface Attacker {
  /** One phrase for docs/security.md. */
  readonly rights: string
  /** Rights on the API server, in the attacker's namespace only. */
  readonly rules?: readonly AccessRule[]
}

const everything = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']
const five: AccessRule = {
  apiGroups: ['data.konverge.dev'],
  resources: ['replicatedkvstores', 'databases', 'databaseusers', 'backups', 'migrations'],
  verbs: everything,
}
const events: AccessRule = { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['get', 'list', 'watch'] }

export const attackers: Readonly<Record<AttackerName, Attacker>> = {
  tenant: { rights: 'rights on the five kinds in one namespace', rules: [five, events] },
  editor: {
    rights: 'the rights of `edit` in one namespace, also on the five kinds',
    rules: [
      five,
      events,
      {
        apiGroups: [''],
        resources: [
          'configmaps',
          'secrets',
          'services',
          'endpoints',
          'persistentvolumeclaims',
          'pods',
          'serviceaccounts',
        ],
        verbs: everything,
      },
      { apiGroups: ['apps'], resources: ['statefulsets', 'deployments'], verbs: everything },
      { apiGroups: ['batch'], resources: ['jobs', 'cronjobs'], verbs: everything },
      { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: everything },
    ],
  },
  'owner login': { rights: 'a login with `access: Owner` on a Database of another namespace that allows it' },
  'writer login': { rights: 'a login with `access: ReadWrite` on a Database of another namespace that allows it' },
  'plain login': { rights: 'a login on the server that belongs to no DatabaseUser' },
  'hostile server': { rights: 'a server at the address in a connection Secret' },
  'hostile store': { rights: 'a server at the endpoint of a backup target' },
  neighbour: {
    rights: 'a pod that reaches the operator’s metrics port, with the token of a service account without rights',
  },
  'web page': { rights: 'a page in the browser of a user who runs `konverge dev`' },
  'machine user': { rights: 'another user of the machine that runs `konverge dev`' },
}
