// Which objects does a Database in the cluster need for its server, and for the one beside it while it moves? Pure.
import type { Chart } from 'cdk8s'
import { DatabaseServer, type DatabaseServerFacts, databaseServerProps } from '../../../constructs/index.ts'
import type { DatabaseSpec } from '../../../imports/wire/database.ts'
import { retain } from '../../index.ts'
import { growClaims } from '../stateful-set/larger-claims.ts'
import type { DatabaseFacts } from './database-facts.ts'
import type { DatabaseObject } from './server-connection.ts'

export interface DesiredServer {
  readonly object: DatabaseObject
  readonly facts: DatabaseFacts
  /** What becomes of the volume of the server that serves; of one beside it, this at least. */
  readonly volumeWhenDeleted: 'Retain' | 'Delete'
}

/** Nothing where the server is elsewhere, or what it is made of is not known. */
export function desiredServer(chart: Chart, { object, facts, volumeWhenDeleted }: DesiredServer): void {
  const { metadata, spec } = object
  const { serverSecrets: own, serverVolume: volume, sides, images = {} } = facts
  if (own === undefined || volume === undefined || sides === undefined) return
  const { volumeSize } = volume
  const { serving, takesClients } = sides
  const image = images[serving.statefulSet]
  const server = {
    ...{ namespace: metadata.namespace ?? '', volumeWhenDeleted, volumeSize, side: serving, takesClients, ...own },
    ...(image === undefined ? {} : { image }),
    ...besideOf(spec, facts, volumeWhenDeleted),
  }
  const { adminSecret, statefulSet } = new DatabaseServer(
    chart,
    'server',
    databaseServerProps(metadata.name, spec, server),
  )
  // Nothing else knows the password of a volume that stays.
  if (volumeWhenDeleted === 'Retain') retain(adminSecret)
  growClaims(chart, { statefulSet, size: spec.provider.inCluster?.storage.size ?? volumeSize, ...volume })
}

/** A server that is followed can be, whatever becomes of the spec meanwhile. */
function besideOf(
  { version, provider: { inCluster } }: DatabaseSpec,
  { sides, beside, images = {} }: DatabaseFacts,
  whenDeleted: DesiredServer['volumeWhenDeleted'],
): Pick<DatabaseServerFacts, 'beside' | 'canBeFollowed'> {
  if (sides?.beside === undefined || beside === undefined) return {}
  const { role: _, ...props } = sides.beside
  const volumeWhenDeleted = whenDeleted === 'Delete' ? whenDeleted : props.volumeWhenDeleted
  const { side, isRunning } = props
  const volumeSize = beside.templateSize ?? beside.volume.volumeSize
  const image = side.version === version ? inCluster?.image : images[side.statefulSet]
  const canBeFollowed = isRunning ? { canBeFollowed: true } : {}
  return {
    ...canBeFollowed,
    beside: { ...props, volumeWhenDeleted, volumeSize, ...(image === undefined ? {} : { image }) },
  }
}
