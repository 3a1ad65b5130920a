// Which volume does a database server have? One claim, which its StatefulSet makes from a template; or it is made before, to be filled, and the
// StatefulSet takes it by its name as its own.
import { ApiObject } from 'cdk8s'
import type { Construct } from 'constructs'
import type { DatabaseSide } from './database-server-names.ts'
import type { Manifest } from './manifest.ts'

export interface DatabaseVolume {
  readonly size: string
  /** Default: the cluster's default class. */
  readonly storageClassName?: string | undefined
}

/** Of the template, and of the claim itself. */
export function databaseClaimSpec({ size, storageClassName }: DatabaseVolume): Manifest {
  return { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } }, storageClassName }
}

/** As the StatefulSet of this side would make it. */
export function databaseVolumeClaim(
  scope: Construct,
  id: string,
  { side, ...volume }: DatabaseVolume & { readonly side: DatabaseSide },
): ApiObject {
  return new ApiObject(scope, id, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: side.volumeClaim, labels: { ...side.selectorLabels } },
    spec: databaseClaimSpec(volume),
  })
}
