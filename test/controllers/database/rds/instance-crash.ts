// Wherever the operator dies at an instance of Amazon RDS, at a request or as its record is stored: the same end, and each deed is done once.
import { onTestFinished } from 'vitest'
import type { CrashWorkflow, Place, Told } from '../../../crash-runs/crash-workflow.ts'
import { MotoServer } from '../../../rds/moto-server.ts'
import { RdsProxy } from '../../../rds/rds-proxy.ts'
import { type InstanceBlow, wholeLife } from './instance-world.ts'

const verdicts = ['cutBefore', 'cutAfter'] as const

export const instanceCrash: CrashWorkflow<InstanceBlow> = {
  name: 'rds-instance',
  weight: 16,
  server: 'none',
  whole: { create: 1, modify: 1, delete: 1 },
  start: async () => {
    const moto = await MotoServer.start()
    onTestFinished(() => moto.stop())
    return { tell: (blows) => tell(moto.url, blows) }
  },
}

async function tell(url: string, blows: readonly InstanceBlow[]): Promise<Told<InstanceBlow>> {
  const rds = await RdsProxy.start(url)
  try {
    const { deeds, requests, stores } = await wholeLife(rds, blows)
    const struck = blows.filter(({ request = 0, store = 0 }) => request <= requests.length && store <= stores).length
    return { end: deeds, struck, places: [...requests.flatMap(requestPlaces), ...storePlaces(stores)] }
  } finally {
    await rds.stop()
  }
}

function requestPlaces(action: string, at: number): readonly Place<InstanceBlow>[] {
  const request = at + 1
  const deaths = verdicts.map((verdict) => ({
    title: `operator dies, ${verdict} request ${request}: ${action}`,
    blow: { request, verdict },
  }))
  const lives = ([...verdicts, { code: 'Throttling', status: 400 }] as const).map((verdict) => ({
    title: `${JSON.stringify(verdict)} request ${request}: ${action}`,
    blow: { request, verdict, survives: true },
  }))
  return [...deaths, ...lives]
}

function storePlaces(stores: number): readonly Place<InstanceBlow>[] {
  return Array.from({ length: stores }, (_, at) => at + 1).flatMap((store) =>
    [false, true].map((isStored) => ({
      title: `operator dies ${isStored ? 'after' : 'before'} record ${store} is stored`,
      blow: { store, isStored },
    })),
  )
}
