// Which objects does a Database in the cluster need for its server, and for the one beside it while it moves? Pure.
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
  /** What becomes of the volume of the server that serves; of one beside it, this at least. */
  readonly volumeWhenDeleted: 'Retain' | 'Delete'
}

/** Nothing where the server is elsewhere, or what it is made of is not known. */
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
  // Nothing else knows the password of a volume that stays.
  if (volumeWhenDeleted === 'Retain') retain(adminSecret)
  // What is being filled grows afterwards.
  const claimsToGrow = facts.restore?.isServerHeld === true ? [] : volume.claimsToGrow
  growClaims(chart, { statefulSet, size: spec.provider.inCluster?.storage.size ?? volumeSize, ...volume, claimsToGrow })
  return made
}

interface Held {
  readonly object: DatabaseObject
  readonly facts: DatabaseFacts
  /** The Job that fills the volume. */
  readonly filler: ApiObject | undefined
}

/** It comes once it is known what it begins with, and its volume, if that is to be filled, is. */
export function holdServer(chart: Chart, server: DatabaseServer | undefined, { object, facts, filler }: Held): void {
  const { sides, serverVolume, restore } = facts
  if (server === undefined || sides === undefined || serverVolume === undefined) return
  hold(server.statefulSet, 'waits for the backup that it begins with')
  if (restore?.isFilled !== true) return
  const { volumeSize: size } = serverVolume
  const storageClassName = object.spec.provider.inCluster?.storage.storageClassName
  const claim = databaseVolumeClaim(chart, 'volume', { side: sides.serving, size, storageClassName })
  // Claims can grow, and nothing else of them can change.
  initialOnly(claim, 'spec')
  filler?.node.addDependency(claim, server.adminSecret)
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
