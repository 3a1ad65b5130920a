// Admission: plugins change and validate requests, in upstream's order.
// Source: k8s.io/apiserver/pkg/admission, k8s.io/kubernetes/pkg/kubeapiserver/options/plugins.go.
import type { JsonObject } from '../../base/json.ts'
import type { View } from '../object-log.ts'
import type { ServedResource } from '../strategy.ts'
import type { User } from '../user.ts'

export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  readonly resource: ServedResource
  /** '' for the object itself. */
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** Name in the request's path; '' if only the body names the object. */
  readonly pathName: string
  /** Absent for a delete. */
  readonly object: JsonObject | undefined
  /** Absent for a create. */
  readonly old: JsonObject | undefined
  readonly user: User
  readonly world: View
}

export interface AdmissionPlugin {
  /** Returns the changed object, or the same one. Throws StatusError. */
  mutate?(request: AdmissionRequest & { readonly object: JsonObject }): JsonObject
  /** Throws StatusError to reject the request. */
  validate?(request: AdmissionRequest): void
}

/** Runs the plugins in order. */
export class Admission {
  readonly #plugins: readonly AdmissionPlugin[]

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins
  }

  mutate(request: AdmissionRequest & { readonly object: JsonObject }): JsonObject {
    let asked = request
    for (const plugin of this.#plugins) {
      const object = plugin.mutate?.(asked) ?? asked.object
      if (object !== asked.object) asked = { ...asked, object }
    }
    return asked.object
  }

  validate(request: AdmissionRequest): void {
    for (const plugin of this.#plugins) plugin.validate?.(request)
  }
}
