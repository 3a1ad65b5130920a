// Owner references of objects. Like upstream, the server drops duplicates with a warning.
// Source: k8s.io/apiserver/pkg/endpoints/handlers/rest.go, dedupOwnerReferences.
import { deepEqual, isJsonList, isJsonObject, type JsonObject, own } from '../base/json.ts'
import { metadataOf, withMetadata } from './metadata.ts'

export interface OwnerRef {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly isController: boolean
  readonly blocksDeletion: boolean
}

export function ownersOf(object: JsonObject): readonly OwnerRef[] {
  return rawOwners(object).map((reference) => {
    const text = (key: string): string => {
      const value = own(reference, key)
      return typeof value === 'string' ? value : ''
    }
    return {
      apiVersion: text('apiVersion'),
      kind: text('kind'),
      name: text('name'),
      uid: text('uid'),
      isController: own(reference, 'controller') === true,
      blocksDeletion: own(reference, 'blockOwnerDeletion') === true,
    }
  })
}

export function withoutDuplicateOwners(object: JsonObject, warn: (text: string) => void): JsonObject {
  const owners = rawOwners(object)
  const kept = owners.filter((owner, index) => !owners.slice(0, index).some((earlier) => deepEqual(earlier, owner)))
  if (kept.length === owners.length) return object
  const twice = owners.filter((owner) => !kept.includes(owner)).map((owner) => String(own(owner, 'uid') ?? ''))
  warn(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...new Set(twice)].join(', ')}`,
  )
  return withMetadata(object, { ownerReferences: kept })
}

function rawOwners(object: JsonObject): readonly JsonObject[] {
  const owners = own(metadataOf(object), 'ownerReferences')
  return isJsonList(owners) ? owners.filter(isJsonObject) : []
}
