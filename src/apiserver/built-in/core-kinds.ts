// Rules of the served kinds of the core group and of coordination, discovery, events and storage.
import type { ServedResource } from '../strategy.ts'
import type { BuiltInDataLoader, KindName } from './built-in-data-loader.ts'
import { claimRules } from './claim.ts'
import { configMapRules } from './config-map.ts'
import { endpointSliceRules } from './endpoint-slice.ts'
import { endpointsRules } from './endpoints.ts'
import { eventRules, newEventRules, toCoreEvent, toNewEvent } from './event.ts'
import type { KindRules } from './kind-rules.ts'
import { leaseRules } from './lease.ts'
import { namespaceRules } from './namespace.ts'
import { nodeRules } from './node.ts'
import { persistentVolumeRules } from './persistent-volume.ts'
import { podRules } from './pod.ts'
import { secretRules } from './secret.ts'
import { servedKind } from './served-kind.ts'
import { serviceRules } from './service.ts'
import { serviceAccountRules } from './service-account.ts'
import { shownService } from './service-defaults.ts'
import { storageClassRules } from './storage-class.ts'

/** By apiVersion and kind. */
export const coreKindRules: readonly (readonly [apiVersion: string, kind: string, rules: KindRules])[] = [
  ['v1', 'ConfigMap', configMapRules],
  ['v1', 'Endpoints', endpointsRules],
  ['v1', 'Event', eventRules],
  ['v1', 'Namespace', namespaceRules],
  ['v1', 'Node', nodeRules],
  ['v1', 'PersistentVolume', persistentVolumeRules],
  ['v1', 'PersistentVolumeClaim', claimRules],
  ['v1', 'Pod', podRules],
  ['v1', 'Secret', secretRules],
  ['v1', 'Service', serviceRules],
  ['v1', 'ServiceAccount', serviceAccountRules],
  ['coordination.k8s.io/v1', 'Lease', leaseRules],
  ['discovery.k8s.io/v1', 'EndpointSlice', endpointSliceRules],
  ['events.k8s.io/v1', 'Event', newEventRules],
  ['storage.k8s.io/v1', 'StorageClass', storageClassRules],
]

export function coreResources(data: BuiltInDataLoader): readonly ServedResource[] {
  return coreKindRules.map(([apiVersion, kind, rules]) => {
    const name = kindName(apiVersion, kind)
    const served = servedKind(data, { name, rules })
    if (kind === 'Service') return { ...served, shown: shownService }
    // Both kinds of Events are stored as core/v1.
    return name.group === 'events.k8s.io' ? { ...served, toStored: storedEvent, fromStored: servedEvent } : served
  })
}

export function kindName(apiVersion: string, kind: string): KindName {
  const slash = apiVersion.indexOf('/')
  return { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1), kind }
}

function storedEvent(event: Parameters<typeof toCoreEvent>[0]) {
  return { ...toCoreEvent(event), apiVersion: 'v1' }
}

function servedEvent(event: Parameters<typeof toNewEvent>[0]) {
  return { ...toNewEvent(event), apiVersion: 'events.k8s.io/v1' }
}
