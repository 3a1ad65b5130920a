// Points at which an operator can die during work on Amazon RDS, or RDS can fail. They are every request, before and
// after it takes effect, and every store of the journal entry.
import type { Place, Told } from '../../../crash-runs/crash-workflow.ts'
import { RdsProxy } from '../../../rds/rds-proxy.ts'
import type { RdsBlow } from './external-world.ts'

export interface LifeOnRds {
  /** Effects on RDS. */
  readonly deeds: object
  /** The requests, in order. */
  readonly requests: readonly string[]
  /** Number of stored journal entries. */
  readonly stores: number
}

const verdicts = ['cutBefore', 'cutAfter'] as const

/** `life`: from its creation to its deletion. */
export async function tellOfRds(
  moto: string,
  blows: readonly RdsBlow[],
  life: (rds: RdsProxy, blows: readonly RdsBlow[]) => Promise<LifeOnRds>,
): Promise<Told<RdsBlow>> {
  const rds = await RdsProxy.start(moto)
  try {
    const { deeds, requests, stores } = await life(rds, blows)
    const struck = blows.filter(({ request = 0, store = 0 }) => request <= requests.length && store <= stores).length
    return { end: deeds, struck, places: [...requests.flatMap(requestPlaces), ...storePlaces(stores)] }
  } finally {
    await rds.stop()
  }
}

function requestPlaces(action: string, at: number): readonly Place<RdsBlow>[] {
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

function storePlaces(stores: number): readonly Place<RdsBlow>[] {
  return Array.from({ length: stores }, (_, at) => at + 1).flatMap((store) =>
    [false, true].map((isStored) => ({
      title: `operator dies ${isStored ? 'after' : 'before'} record ${store} is stored`,
      blow: { store, isStored },
    })),
  )
}
