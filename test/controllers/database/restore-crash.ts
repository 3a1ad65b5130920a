// Faults during a restore: the operator dies, its connection breaks, or the server dies. Invariant: a Database that is
// restored and then deleted ends like an undisturbed one; its restore ran once, and no objects remain (I3).
import { carryOut } from '../../../src/controllers/backup/work-runner.ts'
import type { CrashWorkflow, Told } from '../../crash-runs/crash-workflow.ts'
import { type StatementBlow, statementPlaces, type WriteBlow, writePlaces } from '../../crash-runs/places.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { never } from '../stores/contents.ts'
import { effectsOf, type ServerFate, serverFates, struckAt } from './mortal-engines.ts'
import { RestoreScene } from './restore-fixture.ts'

const counted = /^(CREATE|DROP) (ROLE|DATABASE)[^"]*"\w+"/

type Blow = StatementBlow<ServerFate> | WriteBlow

export const restoreCrash: CrashWorkflow<Blow> = {
  name: 'restore',
  weight: 3,
  // Newer versions have no client tools on this machine.
  isToldOn: (major) => major <= 15,
  // Committed transactions survive the death of the server's processes.
  server: { settings: { synchronous_commit: 'on' } },
  whole: {
    restored: { requestID: 'r1', phase: 'Completed' },
    orders: 3,
    kept: ['crm', 'crm_old_r1', 'crm_owner'],
    follows: true,
    worked: ['restore r1', 'release former of r1'],
    ...{ left: [], jobs: [] },
  },
  start: async (server) => ({ tell: (blows) => tell(server, blows) }),
}

/** Fills the database, backs it up, writes, restores in place, drops the replaced database, and deletes it. */
async function tell(server: PostgresServer, blows: readonly Blow[]): Promise<Told<Blow>> {
  const scene = await sceneOf(server)
  try {
    const { way } = scene.operator
    const [saidBefore, writtenBefore] = [scene.engines.statements.length, way.writes.length]
    const faults = blows.flatMap((blow) => ('fault' in blow ? [blow.fault] : []))
    const hits = struckAt(
      scene.engines,
      server,
      blows.flatMap((blow) => ('fate' in blow ? [blow] : [])),
    )
    way.inject(...faults)
    const end = await live(scene)
    const statements = scene.engines.statements.slice(saidBefore)
    return {
      end: { ...end, effects: effectsOf(statements, counted) },
      struck: hits.count + faults.filter((fault) => way.hasStruck(fault)).length,
      places: [
        ...statementPlaces(
          statements.map(({ text }) => text),
          serverFates,
        ),
        ...writePlaces(way.writes.slice(writtenBefore)),
      ],
    }
  } finally {
    await scene.end()
  }
}

/** Creates a database that was backed up with three rows and has five. */
async function sceneOf(server: PostgresServer): Promise<RestoreScene> {
  const scene = await RestoreScene.start(server)
  scene.run = async (order, tools) => {
    // A Job starts another worker after an interruption.
    await server.byHand('SELECT 1')
    const life = engineHere()
    try {
      const report = await carryOut(order, { ...tools, engine: life.engine }, never)
      return report.outcome === 'Interrupted' ? 'works' : report
    } finally {
      await life.stop()
    }
  }
  await scene.create('crm', { deletionPolicy: 'Delete' })
  await scene.becomes('crm', 'Ready', 'True InSync')
  await scene.fill('crm', 3)
  await scene.backup('nightly', 'crm')
  await scene.fill('crm', 5)
  return scene
}

async function live(scene: RestoreScene): Promise<object> {
  const before = (await scene.status('crm')).identity?.databaseOID
  const from = { backupRef: { name: 'nightly' } }
  await scene.patch('crm', { restore: { requestID: 'r1', from, keepPrevious: '60s' } })
  const { requestID, phase } = await scene.restored('crm', 'r1', 'Completed')
  await scene.until('the Database to follow', async () => {
    const { identity, phase: standing } = await scene.status('crm')
    return identity?.databaseOID !== before && standing === 'Ready'
  })
  const kept = await scene.names('crm')
  const orders = await scene.orders('crm')
  const follows = (await scene.status('crm')).identity?.databaseOID === (await oidOf(scene))
  await scene.until('what was there before to be dropped', async () => {
    return (await scene.status('crm')).restore?.previous?.length === 0
  })
  await scene.until('the Jobs to go', async () => (await scene.jobs()).length === 0)
  const { worked } = scene
  await scene.goes('crm')
  return {
    restored: { requestID, phase },
    kept,
    orders,
    follows,
    worked,
    left: await scene.names('crm'),
    jobs: await scene.jobs(),
  }
}

async function oidOf({ server }: RestoreScene): Promise<number> {
  const [row] = await server.byHand("SELECT oid::int FROM pg_database WHERE datname = 'crm'")
  return Number(row?.['oid'])
}
