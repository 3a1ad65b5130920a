// Objects of one of a Database's servers: a StatefulSet of one pod with a volume, and its Services. DatabaseServer owns
// the objects that all servers share.
import { ApiObject } from 'cdk8s'
import type { Construct } from 'constructs'
import { type DatabaseSide, databaseLabels, databasePort, databaseVolumeName } from './database-server-names.ts'
import { databasePodTemplate, databasePortName } from './database-server-pod.ts'
import type { DatabaseServerProps } from './database-server-props.ts'
import { databaseClaimSpec } from './database-volume-claim.ts'
import type { Manifest } from './manifest.ts'

export interface DatabaseSideProps {
  /** Props of the DatabaseServer. */
  readonly props: DatabaseServerProps
  readonly side: DatabaseSide
  readonly image: string | undefined
  /** Changes with the configuration that the server reads at its start. */
  readonly configHash: string
  readonly volumeSize: string
  readonly volumeWhenDeleted: 'Retain' | 'Delete'
  readonly isRunning: boolean
  /** True if it has a Service of its own. */
  readonly hasAddress: boolean
}

/** The default type of every Service of a server, declared so that a manual change to `ExternalName` is undone. */
export const leadsToPods = { type: 'ClusterIP' } as const

/** Port of every Service of a server. */
export const databaseServicePort = {
  name: databasePortName,
  port: databasePort,
  protocol: 'TCP',
  targetPort: databasePortName,
}

export interface DatabaseSideObjects {
  readonly headlessService: ApiObject
  readonly statefulSet: ApiObject
}

/** `prefix`: prefix of the objects' ids in the scope. */
export function databaseSide(scope: Construct, prefix: string, options: DatabaseSideProps): DatabaseSideObjects {
  const { props, side, hasAddress } = options
  const make = (part: string, objectName: string, manifest: Manifest & { readonly kind: string }) =>
    new ApiObject(scope, prefix + part, {
      apiVersion: 'v1',
      metadata: { name: objectName, labels: { ...databaseLabels(props.name) } },
      ...manifest,
    })
  const reach = { ...leadsToPods, selector: side.selectorLabels, ports: [databaseServicePort] }
  const headlessService = make('headless-service', side.headlessService, {
    kind: 'Service',
    spec: { ...reach, clusterIP: 'None', publishNotReadyAddresses: true },
  })
  if (hasAddress) make('side-service', side.sideService, { kind: 'Service', spec: reach })
  const statefulSet = make('stateful-set', side.statefulSet, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    spec: statefulSetSpec(options),
  })
  return { headlessService, statefulSet }
}

function statefulSetSpec(options: DatabaseSideProps): Manifest {
  const { props, side, image, configHash, volumeSize, volumeWhenDeleted, isRunning } = options
  const { image: _, ...rest } = props
  const own = { ...rest, version: side.version, ...(image === undefined ? {} : { image }) }
  return {
    replicas: isRunning ? 1 : 0,
    serviceName: side.headlessService,
    selector: { matchLabels: side.selectorLabels },
    template: databasePodTemplate(own, side, configHash),
    volumeClaimTemplates: [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        // Claim templates are immutable, so they have no label whose value may change in a later version.
        metadata: { name: databaseVolumeName, labels: side.selectorLabels },
        spec: databaseClaimSpec({ size: volumeSize, storageClassName: props.storage?.storageClassName }),
      },
    ],
    // Only `isRunning` scales it; the data stays.
    persistentVolumeClaimRetentionPolicy: { whenDeleted: volumeWhenDeleted, whenScaled: 'Retain' },
  }
}
