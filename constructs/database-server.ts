// Which objects make a database server? A StatefulSet of one pod with a volume, Services for it and for clients, the configuration, and
// Secrets for the administrator and for TLS. Same props, same bytes; the objects' names and labels never depend on ids in the
// construct tree. Plain ApiObjects in wire shape, as KvCluster's.
import { createHash } from 'node:crypto'
import { ApiObject } from 'cdk8s'
import { Construct } from 'constructs'
import { pgHbaConf, postgresqlConf, refusedParameter } from './database-server-config.ts'
import {
  databaseAdmin,
  databaseHost,
  databaseLabels,
  databasePort,
  databaseSelectorLabels,
  databaseServerNameLimit,
  databaseServerNames,
  databaseVolumeName,
} from './database-server-names.ts'
import { databasePodTemplate, databasePortName } from './database-server-pod.ts'
import type { DatabaseServerProps } from './database-server-props.ts'
import type { Manifest } from './manifest.ts'

/**
 * A server of PostgreSQL, for one Database. It has no standby. The labels of the chart are added; its namespace must be the props'.
 *
 * @example new DatabaseServer(chart, 'shop', { name: 'shop', namespace: 'data', version: '18', adminPassword, tls })
 */
export class DatabaseServer extends Construct {
  /** The labels that select the pod. */
  readonly selectorLabels: Readonly<Record<string, string>>
  readonly configMap: ApiObject
  /** How the server is reached with all rights: host, port, username, password and ca.crt. */
  readonly adminSecret: ApiObject
  readonly tlsSecret: ApiObject
  readonly headlessService: ApiObject
  readonly clientService: ApiObject
  readonly statefulSet: ApiObject

  /** @throws {RangeError} if the name or the parameters cannot make a server that works. */
  constructor(scope: Construct, id: string, props: DatabaseServerProps) {
    super(scope, id)
    refuseImpossible(props)
    const { name, namespace, parameters = {}, adminPassword, tls } = props
    const { certificate, privateKey, authority = certificate } = tls
    const names = databaseServerNames(name)
    const selector = databaseSelectorLabels(name)
    const config = { 'postgresql.conf': postgresqlConf(parameters), 'pg_hba.conf': pgHbaConf }
    const port = { name: databasePortName, port: databasePort, protocol: 'TCP', targetPort: databasePortName }
    const make = (part: string, objectName: string, manifest: Manifest & { readonly kind: string }) =>
      new ApiObject(this, part, {
        apiVersion: 'v1',
        metadata: { name: objectName, labels: { ...databaseLabels(name) } },
        ...manifest,
      })

    this.selectorLabels = selector
    this.configMap = make('config', names.configMap, { kind: 'ConfigMap', data: config })
    this.adminSecret = make('admin-secret', names.adminSecret, {
      kind: 'Secret',
      type: 'Opaque',
      data: encoded({
        host: databaseHost(name, namespace),
        port: String(databasePort),
        username: databaseAdmin,
        password: adminPassword,
        'ca.crt': authority,
      }),
    })
    this.tlsSecret = make('tls-secret', names.tlsSecret, {
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      data: encoded({ 'tls.crt': certificate, 'tls.key': privateKey, 'ca.crt': authority }),
    })
    this.headlessService = make('headless-service', names.headlessService, {
      kind: 'Service',
      spec: { selector, ports: [port], clusterIP: 'None', publishNotReadyAddresses: true },
    })
    this.clientService = make('client-service', names.clientService, {
      kind: 'Service',
      spec: { selector, ports: [port] },
    })
    this.statefulSet = make('stateful-set', names.statefulSet, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      spec: statefulSetSpec(props, hashOf({ ...config, certificate })),
    })
    this.statefulSet.node.addDependency(this.configMap, this.adminSecret, this.tlsSecret)
    this.statefulSet.node.addDependency(this.headlessService, this.clientService)
  }
}

function statefulSetSpec(props: DatabaseServerProps, configHash: string): Manifest {
  const { name, storage, volumeWhenDeleted = 'Retain' } = props
  const selectorLabels = databaseSelectorLabels(name)
  return {
    replicas: 1,
    serviceName: databaseServerNames(name).headlessService,
    selector: { matchLabels: selectorLabels },
    template: databasePodTemplate(props, configHash),
    volumeClaimTemplates: [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        // Claim templates are immutable, so they bear no label that might be worded better one day.
        metadata: { name: databaseVolumeName, labels: selectorLabels },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: storage?.size ?? '1Gi' } },
          storageClassName: storage?.storageClassName,
        },
      },
    ],
    // Nobody scales it; if somebody does all the same, the data stays.
    persistentVolumeClaimRetentionPolicy: { whenDeleted: volumeWhenDeleted, whenScaled: 'Retain' },
  }
}

/** Base64, as Secrets have their values. */
function encoded(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
}

/** Of nothing that is secret: it stands in an annotation. */
function hashOf(texts: Readonly<Record<string, string>>): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
}

/** The CRD refuses most of these too; a plain cdk8s app has no CRD between it and the API server. */
function refuseImpossible({ name, parameters = {} }: DatabaseServerProps): void {
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > databaseServerNameLimit) {
    const rule = `use at most ${databaseServerNameLimit} of a-z, 0-9 and '-', begin with a letter, and do not end with '-'`
    throw new RangeError(`DatabaseServer ${name}: Services and pod labels cannot take this name; ${rule}`)
  }
  const [refusal] = Object.keys(parameters).flatMap((parameter) => refusedParameter(parameter) ?? [])
  if (refusal !== undefined) throw new RangeError(`DatabaseServer ${name}: ${refusal}`)
}
