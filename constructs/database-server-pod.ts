// Template of the StatefulSet's pod of a database server, for Docker's official image of PostgreSQL. Wire shape,
// without values that the server drops (zero, empty), so that what is declared is what comes back.
import {
  type DatabaseSide,
  databaseAdmin,
  databaseDataFolder,
  databaseLabels,
  databasePort,
  databaseServerNames,
  databaseVolumeName,
} from './database-server-names.ts'
import type { DatabaseServerProps } from './database-server-props.ts'
import { type Manifest, unlessEmpty } from './manifest.ts'
import { confinedContainer, restrictedUser } from './restricted-user.ts'

/** The name of the server's port in the container and in Services. */
export const databasePortName = 'postgres'

/** Changes when what the server reads at its start does: the pod is made anew then. */
const configHashAnnotation = 'data.konverge.dev/config-hash'

/** The official image's `postgres`. The volume is made writable for it, and all that is on it is its own. */
export const databaseUserId = 999
/** What a checkpoint at the end may take; a server that is killed has to recover at its next start. */
const graceSeconds = 120
/** For its user alone. A kubelet adds the group's right to read, which PostgreSQL allows in a key that is root's. */
const ownMode = 0o400

const dataFolder = '/data'
const configFolder = '/etc/postgresql'
const tlsFolder = '/etc/postgresql-tls'
const adminFolder = '/etc/postgresql-admin'

/** The template of the StatefulSet's pod. Fulfils the Pod Security Standard `restricted`. */
export function databasePodTemplate(props: DatabaseServerProps, side: DatabaseSide, configHash: string): Manifest {
  const { name } = props
  const { configMap, tlsSecret, adminSecret } = databaseServerNames(name)
  return {
    metadata: {
      labels: { ...databaseLabels(name), ...side.selectorLabels },
      annotations: { [configHashAnnotation]: configHash },
    },
    spec: {
      // A database has no business with the API server.
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: graceSeconds,
      securityContext: restrictedUser(databaseUserId),
      containers: [container(props)],
      volumes: [
        { name: 'config', configMap: { name: configMap } },
        { name: 'tls', secret: { secretName: tlsSecret, defaultMode: ownMode } },
        {
          name: 'admin',
          secret: { secretName: adminSecret, defaultMode: ownMode, items: [{ key: 'password', path: 'password' }] },
        },
        // Parallel queries share memory there, and containers have but 64 MB of it.
        {
          name: 'shared-memory',
          emptyDir: { medium: 'Memory', sizeLimit: props.resources?.limits?.['memory'] ?? '1Gi' },
        },
        // The root is read only: these are what the image and PostgreSQL write to beside the data.
        { name: 'socket', emptyDir: { sizeLimit: '16Mi' } },
        { name: 'temporary', emptyDir: { sizeLimit: '256Mi' } },
      ],
    },
  }
}

function container({ version, image = `postgres:${version}`, resources }: DatabaseServerProps): Manifest {
  return {
    name: databasePortName,
    image,
    args: ['postgres', ...settings()],
    env: [
      { name: 'PGDATA', value: `${dataFolder}/${databaseDataFolder}` },
      { name: 'POSTGRES_USER', value: databaseAdmin },
      { name: 'POSTGRES_PASSWORD_FILE', value: `${adminFolder}/password` },
      { name: 'POSTGRES_INITDB_ARGS', value: '--encoding=UTF8 --data-checksums' },
    ],
    ports: [{ name: databasePortName, containerPort: databasePort, protocol: 'TCP' }],
    resources: resourceNeeds(resources),
    // Of a single server, the one that recovers may take connections too: it refuses sessions in words. The first start makes the files.
    startupProbe: { ...openPort, periodSeconds: 2, failureThreshold: 300 },
    readinessProbe: { ...openPort, periodSeconds: 5 },
    livenessProbe: { ...openPort, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    // Ends the sessions: SIGTERM alone would wait for them to end, until the grace is over and the server is killed. It does not wait.
    lifecycle: { preStop: { exec: { command: ['pg_ctl', 'stop', '--mode=fast', '--no-wait'] } } },
    volumeMounts: [
      { name: databaseVolumeName, mountPath: dataFolder },
      { name: 'config', mountPath: configFolder, readOnly: true },
      { name: 'tls', mountPath: tlsFolder, readOnly: true },
      { name: 'admin', mountPath: adminFolder, readOnly: true },
      { name: 'shared-memory', mountPath: '/dev/shm' },
      { name: 'socket', mountPath: '/var/run/postgresql' },
      { name: 'temporary', mountPath: '/tmp' },
    ],
    securityContext: confinedContainer,
  }
}

const openPort = { tcpSocket: { port: databasePortName } }

/** What stands on the command line can be changed by nothing else. */
function settings(): readonly string[] {
  return [
    `config_file=${configFolder}/postgresql.conf`,
    `hba_file=${configFolder}/pg_hba.conf`,
    'ssl=on',
    `ssl_cert_file=${tlsFolder}/tls.crt`,
    `ssl_key_file=${tlsFolder}/tls.key`,
  ].flatMap((setting) => ['-c', setting])
}

function resourceNeeds(resources: DatabaseServerProps['resources']): Manifest | undefined {
  return unlessEmpty({
    ...(unlessEmpty(resources?.limits) === undefined ? {} : { limits: resources?.limits }),
    ...(unlessEmpty(resources?.requests) === undefined ? {} : { requests: resources?.requests }),
  })
}
