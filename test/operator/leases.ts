// Leases as the API server stores them: every write changes the version, and a merge patch holds against one version.
import type { JsonObject } from '../../src/base/json.ts'
import { applyMergePatch } from '../../src/base/json-patch.ts'
import type { LeaseSpec } from '../../src/object/built-in.ts'
import { asJson, type KubeObject, type LiveObject } from '../../src/object/object.ts'

export function leaseWith(spec: LeaseSpec, resourceVersion = '1'): LiveObject {
  const metadata = { namespace: 'ops', name: 'konverge', uid: 'u', resourceVersion }
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }
}

/** Server with at most one Lease, and the identities that may write it. */
export class LeaseServer {
  lease: LiveObject | undefined
  #version = 0

  create(lease: KubeObject): LiveObject | 'conflict' {
    return this.lease === undefined ? this.#store(lease) : 'conflict'
  }

  patch(body: JsonObject): LiveObject | 'conflict' {
    if (this.lease === undefined) return 'conflict'
    const patched = applyMergePatch(asJson(this.lease), body) as unknown as LiveObject
    return patched.metadata.resourceVersion === this.lease.metadata.resourceVersion ? this.#store(patched) : 'conflict'
  }

  /** Edits the Lease by hand, against any version. */
  edit(spec: JsonObject): void {
    if (this.lease !== undefined) this.patch({ spec })
  }

  #store(object: KubeObject): LiveObject {
    this.#version += 1
    const metadata = { ...object.metadata, uid: 'u', resourceVersion: String(this.#version) }
    this.lease = { ...object, metadata }
    return this.lease
  }
}
