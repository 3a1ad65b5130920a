// Volume claim of a database server. Its StatefulSet creates the claim from a template. Or the operator creates and
// fills the claim before, and the StatefulSet adopts it by its name.
import { ApiObject } from 'cdk8s'
import type { Construct } from 'constructs'
import type { DatabaseSide } from './database-server-names.ts'
import type { Manifest } from './manifest.ts'

export interface DatabaseVolume {
  readonly size: string
  /** Default: the cluster's default class. */
  readonly storageClassName?: string | undefined
}

/** Spec of the template, and of the claim itself. */
export function databaseClaimSpec({ size, storageClassName }: DatabaseVolume): Manifest {
  return { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } }, storageClassName }
}

/** Returns the claim that the StatefulSet of this server would create. */
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
