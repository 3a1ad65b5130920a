// What may a controller's own functions look at and say? Live objects by name or label, and Events; never a client.

import type { Location } from '../kube/client.ts'
import type { LiveObject } from '../object/object.ts'
import type { Resource } from '../object/resource.ts'

export type { EventReport } from '../object/event-report.ts'

/** Reads that a controller may make. Rejects with a KubeError when the API server had to be asked and refused. */
export interface LiveReader {
  /** The object, or undefined if there is none. */
  find<Spec, Status>(resource: Resource<Spec, Status>, at: Location): Promise<LiveObject<Spec, Status> | undefined>
  /** All objects of a namespace with exactly these labels. Absent: of all namespaces, or of those to which the operator is confined. */
  list<Spec, Status>(
    resource: Resource<Spec, Status>,
    selection: { readonly namespace?: string | undefined; readonly labels?: Readonly<Record<string, string>> },
  ): Promise<readonly LiveObject<Spec, Status>[]>
  /**
   * Objects of a watched kind that the named index of its watch gives this value: from memory, at the cost of the answer. Throws a CodedError
   * `UndeclaredIndex` if no watch of the kind has the index.
   */
  byIndex<Spec, Status>(
    resource: Resource<Spec, Status>,
    index: string,
    value: string,
  ): readonly LiveObject<Spec, Status>[]
}
