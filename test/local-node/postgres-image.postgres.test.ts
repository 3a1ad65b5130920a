// PostgreSQL image of the local node: it starts after any interruption of its first start. The test kills the process
// while it creates its files.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { machinePostgres } from '../../src/cli/dev/machine-postgres.ts'
import { type Program, programOf } from '../../src/local-node/images.ts'
import { postgresImage } from '../../src/local-node/known-images.ts'
import { waitUntil } from '../control-plane/wait-until.ts'

/** No local node assigns addresses of this range to pods. */
const podIp = `127.49.${(process.pid >> 8) % 256}.${process.pid % 256}`
const machine = machinePostgres()

it.each(machine.versions.map(({ major }) => major))(
  'PostgreSQL %i recreates its files after an interrupted first start',
  async (major) => {
    const folder = mkdtempSync(join(tmpdir(), 'konverge-image-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
    const data = join(folder, 'data')
    mkdirSync(data)
    chmodSync(folder, 0o711)
    const { user, isRoot } = machine
    if (isRoot && user !== undefined) chownSync(data, user.uid, user.gid)
    const program = programIn(`postgres:${major}`, data)
    const places = [join(data, 'pgdata'), join(data, 'pgdata.new')]

    const first = start(program)
    const isMaking = () => places.some((place) => existsSync(join(place, 'PG_VERSION')))
    await waitUntil({ what: 'the files to be under way', everyMs: 1 }, async () => isMaking())
    await end(first, 'SIGKILL')

    const second = start(program)
    let output = ''
    second.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    await waitUntil(
      {
        what: 'the server to be ready',
        everyMs: 50,
        giveUp: () => expect(second.exitCode, output).toBeNull(),
      },
      async () => output.includes('database system is ready to accept connections'),
    )
    expect(places.map((place) => existsSync(place))).toEqual([true, false])
    await end(second, 'SIGINT')
  },
)

function programIn(image: string, data: string): Program {
  const environment = new Map([
    ['PGDATA', '/data/pgdata'],
    ['POSTGRES_PASSWORD', 'secret'],
  ])
  const ask = { image, command: [], args: [], workingFolder: undefined, environment, user: undefined }
  const place = { image, podIp, namespace: 'shop', mounts: [{ mountPath: '/data', realPath: data }], folder: data }
  const verdict = programOf([postgresImage(machine)], ask, place)
  if (verdict.kind !== 'program') throw new Error(`The image is ${verdict.kind}.`)
  return verdict.program
}

function start({ command, args, environment, workingFolder, user }: Program): ChildProcess {
  const env = { ...Object.fromEntries(environment), KONVERGE_POD_IP: podIp }
  const child = spawn(command, args, {
    cwd: workingFolder,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...user,
  })
  onTestFinished(() => end(child, 'SIGKILL'))
  return child
}

/** Ends the process and its descendants. */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal)
  await ended
}
