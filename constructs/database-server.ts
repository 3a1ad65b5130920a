// Objects of a database server: a StatefulSet of one pod with a volume, Services, the configuration, and Secrets for
// the administrator and for TLS. Invariant: same props, same bytes; names and labels never depend on ids in the
// construct tree. Plain ApiObjects in wire shape, like those of KvCluster.
import { createHash } from 'node:crypto'
import { ApiObject } from 'cdk8s'
import { Construct } from 'constructs'
import { pgHbaConf, postgresqlConf, refusedParameter } from './database-server-config.ts'
import {
  databaseAdmin,
  databaseHost,
  databaseLabels,
  databasePort,
  databaseServerNameLimit,
  databaseServerNames,
  firstDatabaseSide,
  noDatabaseSide,
} from './database-server-names.ts'
import type { DatabaseServerProps } from './database-server-props.ts'
import { databaseServicePort, databaseSide, leadsToPods } from './database-side.ts'
import type { Manifest } from './manifest.ts'

/**
 * A PostgreSQL server for one Database, without a standby. The labels of the chart are added; its namespace must equal
 * that of the props.
 *
 * @example new DatabaseServer(chart, 'shop', { name: 'shop', namespace: 'data', version: '18', adminPassword, tls })
 */
export class DatabaseServer extends Construct {
  /** Labels that select the pod of the server for clients. */
  readonly selectorLabels: Readonly<Record<string, string>>
  readonly configMap: ApiObject
  /** Superuser's connection: host, port, username, password and ca.crt. */
  readonly adminSecret: ApiObject
  readonly tlsSecret: ApiObject
  readonly headlessService: ApiObject
  readonly clientService: ApiObject
  readonly statefulSet: ApiObject
  /** StatefulSet of the other server, if there is one. */
  readonly besideStatefulSet: ApiObject | undefined

  /** @throws {RangeError} if the name or the parameters cannot make a working server. */
  constructor(scope: Construct, id: string, props: DatabaseServerProps) {
    super(scope, id)
    refuseImpossible(props)
    const { name, namespace, version, parameters = {}, adminPassword, tls, beside, takesClients = true } = props
    const { side = firstDatabaseSide(name, version), canBeFollowed = false } = props
    const { certificate, privateKey, authority = certificate } = tls
    const names = databaseServerNames(name)
    const config = { 'postgresql.conf': postgresqlConf(parameters, { canBeFollowed }), 'pg_hba.conf': pgHbaConf }
    const make = (part: string, objectName: string, manifest: Manifest & { readonly kind: string }) =>
      new ApiObject(this, part, {
        apiVersion: 'v1',
        metadata: { name: objectName, labels: { ...databaseLabels(name) } },
        ...manifest,
      })

    this.selectorLabels = side.selectorLabels
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
    const configHash = hashOf({ ...config, certificate })
    const own = { props, side, configHash, volumeSize: props.storage?.size ?? '1Gi', image: props.image }
    const server = databaseSide(this, '', {
      ...own,
      volumeWhenDeleted: props.volumeWhenDeleted ?? 'Retain',
      isRunning: true,
      hasAddress: beside?.isRunning === true || side.statefulSet !== names.statefulSet,
    })
    this.headlessService = server.headlessService
    this.statefulSet = server.statefulSet
    this.clientService = make('client-service', names.clientService, {
      kind: 'Service',
      spec: {
        ...leadsToPods,
        selector: takesClients ? side.selectorLabels : noDatabaseSide(name),
        ports: [databaseServicePort],
      },
    })
    const other =
      beside &&
      databaseSide(this, 'beside-', {
        props,
        configHash,
        image: undefined,
        ...beside,
        hasAddress: beside.isRunning,
      })
    this.besideStatefulSet = other?.statefulSet
    for (const { statefulSet, headlessService } of [server, ...(other === undefined ? [] : [other])]) {
      statefulSet.node.addDependency(this.configMap, this.adminSecret, this.tlsSecret)
      statefulSet.node.addDependency(headlessService, this.clientService)
    }
  }
}

/** Base64, as in a Secret. */
function encoded(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
}

/** Hash for an annotation: the texts contain no secrets. */
function hashOf(texts: Readonly<Record<string, string>>): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
}

/** The CRD rejects most of these too; a plain cdk8s app has no CRD between it and the API server. */
function refuseImpossible({ name, parameters = {} }: DatabaseServerProps): void {
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > databaseServerNameLimit) {
    const rule = `use at most ${databaseServerNameLimit} of a-z, 0-9 and '-', begin with a letter, and do not end with '-'`
    throw new RangeError(`DatabaseServer ${name}: Services and pod labels cannot take this name; ${rule}`)
  }
  const [refusal] = Object.keys(parameters).flatMap((parameter) => refusedParameter(parameter) ?? [])
  if (refusal !== undefined) throw new RangeError(`DatabaseServer ${name}: ${refusal}`)
}
