// Pod template of a database server, for Docker's official image of PostgreSQL. Invariant: wire shape without values
// that the API server drops (zero, empty), so that the live object equals the declaration.
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

/** Name of the server's port in the container and in Services. */
export const databasePortName = 'postgres'

/** Changes with the configuration that the server reads at its start; the StatefulSet then recreates the pod. */
const configHashAnnotation = 'data.konverge.dev/config-hash'

/**
 * The user `postgres` of the official image. The kubelet makes the volume writable for it, and it owns all files there.
 */
export const databaseUserId = 999
/** Time for the last checkpoint; a killed server has to recover at its next start. */
const graceSeconds = 120
/**
 * Readable by its user only. A kubelet adds read permission for the group, which PostgreSQL accepts in a key of root.
 */
const ownMode = 0o400

const dataFolder = '/data'
const configFolder = '/etc/postgresql'
const tlsFolder = '/etc/postgresql-tls'
const adminFolder = '/etc/postgresql-admin'

/** Returns the pod template of the StatefulSet. Conforms to the Pod Security Standard `restricted`. */
export function databasePodTemplate(props: DatabaseServerProps, side: DatabaseSide, configHash: string): Manifest {
  const { name } = props
  const { configMap, tlsSecret, adminSecret } = databaseServerNames(name)
  return {
    metadata: {
      labels: { ...databaseLabels(name), ...side.selectorLabels },
      annotations: { [configHashAnnotation]: configHash },
    },
    spec: {
      // A database does not use the API server.
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
        // Parallel queries share memory there; the default of containers is only 64 MB.
        {
          name: 'shared-memory',
          emptyDir: { medium: 'Memory', sizeLimit: props.resources?.limits?.['memory'] ?? '1Gi' },
        },
        // The root is read-only; the image and PostgreSQL also write to these folders.
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
    // A recovering single server may receive connections too: it rejects sessions with a message. The first start
    // creates the files.
    startupProbe: { ...openPort, periodSeconds: 2, failureThreshold: 300 },
    readinessProbe: { ...openPort, periodSeconds: 5 },
    livenessProbe: { ...openPort, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    // Ends the sessions: SIGTERM alone would wait for them until the grace period ends and the server is killed. It
    // does not wait.
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

/** Settings on the command line, which no other setting can override. */
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
