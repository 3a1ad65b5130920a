// Reads and Events for a controller's own functions: live objects by name or label, and Events; never a client.

import type { Location } from '../kube/client.ts'
import type { LiveObject } from '../object/object.ts'
import type { Resource } from '../object/resource.ts'

export type { EventReport } from '../object/event-report.ts'

/**
 * Reads that a controller may make. A read rejects with a KubeError when the API server has to be asked and rejects the
 * request.
 */
export interface LiveReader {
  /** Returns the object, or undefined if it does not exist. */
  find<Spec, Status>(resource: Resource<Spec, Status>, at: Location): Promise<LiveObject<Spec, Status> | undefined>
  /**
   * Lists all objects of a namespace with exactly these labels. Without `namespace`: of all namespaces, or of those to
   * which the operator is confined.
   */
  list<Spec, Status>(
    resource: Resource<Spec, Status>,
    selection: { readonly namespace?: string | undefined; readonly labels?: Readonly<Record<string, string>> },
  ): Promise<readonly LiveObject<Spec, Status>[]>
  /**
   * Returns the cached objects of a watched kind that have this value in the named index of its watch. The cost is
   * proportional to the result. Throws a CodedError `UndeclaredIndex` if no watch of the kind has the index.
   *
   * @example const users = live.byIndex(Secret, 'users', object.metadata.name)
   */
  byIndex<Spec, Status>(
    resource: Resource<Spec, Status>,
    index: string,
    value: string,
  ): readonly LiveObject<Spec, Status>[]
}
