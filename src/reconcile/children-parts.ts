// Construction of a controller's children reconciler: creates its parts and connects them.
import { Applier } from '../apply/applier.ts'
import type { Convergence } from '../apply/convergence.ts'
import type { ManagerOf } from '../apply/field-managers.ts'
import type { Compare } from '../apply/plan.ts'
import { assert } from '../base/assert.ts'
import type { SecretSource } from '../base/random.ts'
import type { KubeClient } from '../kube/client.ts'
import { childManagerOf, type OperatorIdentity, ownedByValue } from '../object/identity.ts'
import { groupKindOf } from '../object/resource.ts'
import { ChildrenReconciler, type ChildrenReconcilerOptions } from './children-reconciler.ts'
import type { ControllerView } from './controller-view.ts'
import { type Controller, contributedResource } from './definition.ts'
import { InventoryLoader, type InventoryLoaderOptions } from './inventory-loader.ts'
import { InventoryTokens } from './inventory-tokens.ts'
import type { RemoteCluster } from './remote-cluster.ts'

/** Dependencies that the parts of a controller share. */
export interface ChildrenOptions extends Pick<ChildrenReconcilerOptions, 'clock' | 'recordEvent' | 'clusterState'> {
  readonly identity: OperatorIdentity
  readonly secrets: SecretSource
  readonly client: KubeClient
  readonly discovery: InventoryLoaderOptions['discovery']
  readonly remote?: RemoteCluster | undefined
  readonly controller: Controller
  readonly view: ControllerView
  readonly managerOf: ManagerOf
}

export type ChildrenParts = Pick<
  ChildrenReconcilerOptions,
  'log' | 'tracer' | 'metrics' | 'parents' | 'verifications'
> & {
  readonly convergence: Convergence
}

export function makeChildrenReconciler(options: ChildrenOptions, parts: ChildrenParts): ChildrenReconciler {
  const { clock, controller, recordEvent, secrets, remote, view, managerOf, clusterState } = options
  const { client } = remote ?? options
  const { convergence } = parts
  const members = makeInventoryLoader(options)
  const applier = new Applier({
    client,
    cluster: remote?.watcher,
    managerOf,
    fieldValidation: controller.fieldValidation,
    resourceOf: (object) => {
      const resource = members.resourceOf(object) ?? contributedResource(controller, object)
      assert(resource !== undefined, `${controller.name} owns or contributes to ${groupKindOf(object)}`)
      return resource
    },
    childOf: (object, predicates) => view.childOf(object, predicates),
    clock,
    convergence,
    report: recordEvent,
    isCurrent: (parent, signal) => members.isCurrent(parent, signal),
    onWritten: (written) => view.written(written),
    onDeleted: (object, parent) => {
      convergence.forget(object.metadata.uid)
      view.childDeleted(object, parent)
    },
  })
  const compare: Compare = (object, live, manager) =>
    convergence.compare(object, live, { manager, nowMs: clock.monotonicMs() })
  const tokens = new InventoryTokens(secrets)
  return new ChildrenReconciler({
    ...parts,
    clock,
    view,
    applier,
    compare,
    managerOf,
    members,
    tokens,
    clusterState,
    recordEvent,
  })
}

function makeInventoryLoader(options: ChildrenOptions): InventoryLoader {
  const { client: parents, identity, controller, remote, view } = options
  const { client, discovery } = remote ?? options
  const covers: ControllerView['covers'] = (kind, namespace) => view.covers(kind, namespace)
  const maker = { manager: childManagerOf(identity, controller.name), ownedBy: ownedByValue(controller.name) }
  return new InventoryLoader({ client, parents, cluster: remote?.watcher, discovery, controller, maker, covers })
}
