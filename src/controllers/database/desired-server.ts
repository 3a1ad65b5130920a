// Objects of a Database's server in the cluster, and of the server beside it during a move. Pure.
import type { ApiObject, Chart } from 'cdk8s'
import {
  DatabaseServer,
  type DatabaseServerFacts,
  databaseServerProps,
  databaseVolumeClaim,
} from '../../../constructs/index.ts'
import type { DatabaseSpec } from '../../../imports/wire/database.ts'
import { hold, initialOnly, retain } from '../../index.ts'
import { growClaims } from '../stateful-set/larger-claims.ts'
import type { DatabaseFacts } from './database-facts.ts'
import type { DatabaseObject } from './server-connection.ts'

export interface DesiredServer {
  readonly object: DatabaseObject
  readonly facts: DatabaseFacts
  /** Retention of the serving server's volume. `Delete` also applies to the server beside it. */
  readonly volumeWhenDeleted: 'Retain' | 'Delete'
}

/** Returns undefined if the server is outside the cluster, or if its inputs are unknown. */
export function desiredServer(
  chart: Chart,
  { object, facts, volumeWhenDeleted }: DesiredServer,
): DatabaseServer | undefined {
  const { metadata, spec } = object
  const { serverSecrets: own, serverVolume: volume, sides, images = {} } = facts
  if (own === undefined || volume === undefined || sides === undefined) return undefined
  const { volumeSize } = volume
  const { serving, takesClients } = sides
  const image = images[serving.statefulSet]
  const server = {
    ...{ namespace: metadata.namespace ?? '', volumeWhenDeleted, volumeSize, side: serving, takesClients, ...own },
    ...(image === undefined ? {} : { image }),
    ...besideOf(spec, facts, volumeWhenDeleted),
  }
  const made = new DatabaseServer(chart, 'server', databaseServerProps(metadata.name, spec, server))
  const { adminSecret, statefulSet } = made
  // Only this Secret has the password of a retained volume.
  if (volumeWhenDeleted === 'Retain') retain(adminSecret)
  // A volume that a restore fills grows afterwards.
  const claimsToGrow = facts.restore?.isServerHeld === true ? [] : volume.claimsToGrow
  growClaims(chart, { statefulSet, size: spec.provider.inCluster?.storage.size ?? volumeSize, ...volume, claimsToGrow })
  return made
}

interface Held {
  readonly object: DatabaseObject
  readonly facts: DatabaseFacts
  /** Job that fills the volume. */
  readonly filler: ApiObject | undefined
}

/** Holds the server until its bootstrap source is known. A volume that a restore fills has to be filled before. */
export function holdServer(chart: Chart, server: DatabaseServer | undefined, { object, facts, filler }: Held): void {
  const { sides, serverVolume, restore } = facts
  if (server === undefined || sides === undefined || serverVolume === undefined) return
  hold(server.statefulSet, 'waits for the backup that it begins with')
  if (restore?.isFilled !== true) return
  const { volumeSize: size } = serverVolume
  const storageClassName = object.spec.provider.inCluster?.storage.storageClassName
  const claim = databaseVolumeClaim(chart, 'volume', { side: sides.serving, size, storageClassName })
  // Claims can grow; nothing else in their spec can change.
  initialOnly(claim, 'spec')
  filler?.node.addDependency(claim, server.adminSecret)
}

/** While the server beside it runs, the serving one keeps logical replication, whatever the spec becomes. */
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
