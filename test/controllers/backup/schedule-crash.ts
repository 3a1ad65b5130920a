// Crash run of an operator with Backups of a schedule. Workers are simulated, so no server is needed.
// Invariant: each scheduled time is backed up, verified and removed as often as without a crash, and the store has the
// expected folders (I3).
import { handleFetch } from '../../../src/apiserver/fetch-handler.ts'
import { backup } from '../../../src/controllers/backup/backup.ts'
import { ConfigMap } from '../../../src/index.ts'
import type { CrashWorkflow, Told } from '../../crash-runs/crash-workflow.ts'
import { type WriteBlow, writePlaces } from '../../crash-runs/places.ts'
import { EmbeddedOperator } from '../../e2e/embedded-operator.ts'
import { BackupScene, home } from './backup-fixture.ts'

const slotAt = (hour: number) => Date.parse(`2026-01-01T0${hour}:00:00Z`) / 60_000
const worksOf = (name: string) => ['backup', 'verify', 'discard'].map((work) => `${work} ${name}`)

export const scheduleCrash: CrashWorkflow<WriteBlow> = {
  name: 'backup-schedule',
  weight: 2,
  server: 'none',
  whole: {
    worked: [1, 2, 3].flatMap((hour) => worksOf(`nightly-${slotAt(hour)}`)).toSorted(),
    ...{ names: [], jobs: [], orders: [], stored: 0 },
  },
  start: async () => ({ tell }),
}

/** A schedule creates three Backups and keeps two; it is deleted, and then they are, with their artifacts. */
async function tell(blows: readonly WriteBlow[]): Promise<Told<WriteBlow>> {
  const { scene, operator } = await begin()
  try {
    const { way } = operator
    const faults = blows.map(({ fault }) => fault)
    way.inject(...faults)
    const schedule = { schedule: '0 * * * *', artifactPolicy: 'Delete', retention: { keepLast: 2 } } as const
    await scene.create('nightly', { ...schedule, verify: { mode: 'Restore' } })
    await scene.passUntil('2026-01-01T03:20:00Z', 120_000)
    const kept = await scene.names()
    const standings = await Promise.all(kept.map((name) => scene.standing(name, 'Ready')))
    await scene.delete('nightly')
    await scene.goes('nightly')
    for (const name of await scene.names()) {
      await scene.delete(name)
      await scene.goes(name)
    }
    await scene.pass(60_000)
    const maps = await scene.cluster.list(ConfigMap, home)
    const orders = maps.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt')
    const left = { names: await scene.names(), jobs: await scene.jobs(), orders, stored: scene.stored.size }
    return {
      end: { kept, standings, worked: scene.worked.toSorted(), ...left },
      struck: faults.filter((fault) => way.hasStruck(fault)).length,
      places: writePlaces(way.writes),
    }
  } finally {
    await operator.kill()
    await scene.cluster.stop()
  }
}

/** Starts the operator again after its death. */
async function begin(): Promise<{ readonly scene: BackupScene; readonly operator: EmbeddedOperator }> {
  let operator: EmbeddedOperator | undefined
  const scene = await BackupScene.start((cluster) => {
    const started = new EmbeddedOperator({
      ...{ cluster, token: 'admin', seed: 1, backoff: { baseMs: 1_000, capMs: 10_000 } },
      controllers: [backup({ image: 'konverge:test' })],
      fetch: (request) => handleFetch(cluster.server, request),
    }).start()
    operator = started
    return { stop: () => started.stop() }
  })
  if (operator === undefined) throw new Error('no operator has been started')
  const mortal = operator
  scene.beforeStep = async () => {
    mortal.throwIfEnded()
    if (mortal.way.line !== 'silent') return
    await mortal.kill()
    mortal.start()
  }
  await scene.database()
  return { scene, operator: mortal }
}
