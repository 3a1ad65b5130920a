// Crash run of an upgrade: the operator dies, a connection breaks, or a server dies.
// Invariant: the upgrade ends at the same server as without a fault. A writing client loses no acknowledged row, and
// nothing is left (I3).
import { inject, onTestFinished } from 'vitest'
import type { MoveMethod } from '../../../src/controllers/upgrade/upgrade-world.ts'
import type { CrashWorkflow, Told } from '../../crash-runs/crash-workflow.ts'
import type { StatementBlow } from '../../crash-runs/places.ts'
import { PostgresServer } from '../../postgres/postgres-server.ts'
import type { ServerFate } from '../database/mortal-engines.ts'
import { nothing } from '../engines/replication/replication-stage.ts'
import { MortalWays } from './mortal-ways.ts'
import { MortalWrites, type NthWriteBlow, nthWritePlaces } from './mortal-writes.ts'
import { newSettings, oldSettings } from './stage-tools.ts'
import { UpgradeStage } from './upgrade-stage.ts'

type Blow = StatementBlow<ServerFate> | NthWriteBlow

interface Way {
  readonly method: MoveMethod
  /** Step that fails permanently; undefined: the upgrade completes. */
  readonly failing?: string
}

/** From the oldest version of this machine to the newest. */
function upgradeCrashOf(name: string, way: Way): CrashWorkflow<Blow> {
  const isBack = way.failing !== undefined
  return {
    name,
    weight: 0.7,
    server: { settings: oldSettings },
    isToldOn: (major) => major === Math.min(...majors()),
    whole: {
      state: isBack ? 'Compensated' : 'Completed',
      ...{ lost: [], orders: 1_000, left: [nothing, nothing], isNewBare: isBack },
    },
    start: async (old) => {
      const young = await PostgresServer.start(inject('postgresHome'), {
        ...{ version: Math.max(...majors()), settings: newSettings },
      })
      onTestFinished(() => young.remove())
      return { tell: (blows) => tell([old, young], way, blows) }
    },
  }
}

export const upgradeCrash = upgradeCrashOf('upgrade', { method: 'Replication' })
export const upgradeBackCrash = upgradeCrashOf('upgrade-back', { method: 'Replication', failing: 'rehearse' })
export const upgradeByDumpCrash = upgradeCrashOf('upgrade-by-dump', { method: 'Dump' })

function majors(): readonly number[] {
  return inject('postgresHome').versions.map(({ major }) => major)
}

async function tell(
  servers: readonly [PostgresServer, PostgresServer],
  { method, failing }: Way,
  blows: readonly Blow[],
): Promise<Told<Blow>> {
  const ways = new MortalWays(
    servers,
    blows.flatMap((blow) => ('fate' in blow ? [blow] : [])),
  )
  await ways.begin()
  const stage = await UpgradeStage.on(servers, { ways })
  const writes = new MortalWrites(
    stage.cluster.faults,
    blows.flatMap((blow) => ('write' in blow ? [blow] : [])),
  )
  ways.isDead = () => writes.isDead
  stage.hasDied = () => writes.isDead
  stage.nextLife = async () => {
    await ways.begin()
    writes.begin()
  }
  ways.onDeath = () => stage.dies()
  try {
    stage.method = method
    stage.failing = failing
    await stage.begin()
    const { state } = await stage.ended()
    const end = { state, ...(await endOf(stage, state === 'Completed' ? stage.new : stage.old)) }
    const places = [...ways.places(), ...nthWritePlaces(stage.cluster.requests())]
    return { end, struck: ways.struck + writes.struck, places }
  } finally {
    await stage.end()
    await ways.end()
  }
}

async function endOf(stage: UpgradeStage, serving: PostgresServer): Promise<object> {
  const lost = await stage.lostRows(serving)
  const [row] = await serving.byHand('SELECT count(*)::int FROM orders WHERE n > 0', { database: 'shop' })
  return { lost, orders: row?.['count'], left: await stage.leftovers(), isNewBare: await stage.isNewBare() }
}
