// Controllers of a plan; their functions misbehave on request.
import { ApiObject } from 'cdk8s'
import {
  type CleanupResult,
  ConfigMap,
  type Controller,
  type ControllerOptions,
  contribute,
  coOwn,
  defineController,
  hold,
  initialOnly,
  type Owned,
  recreateOnChange,
  retain,
  type StatusWithConditions,
  shared,
  waitForReady,
} from '../../src/index.ts'
import {
  type ChildKind,
  childResource,
  hasStatus,
  type ParentKind,
  type ParentSpec,
  parentResource,
  scopeOf,
  strangerVersion,
} from './stranger-kinds.ts'
import {
  type ControllerPlan,
  declaredChildren,
  type FunctionName,
  factName,
  home,
  type Misbehaviour,
  namespaceOf,
  type PureFunction,
  shiftOf,
  type VersionPlan,
} from './world-plan.ts'

/** Current misbehaviour of each controller function. */
export class Misbehaviours {
  readonly #how = new Map<string, Misbehaviour>()
  readonly #hanging = new Set<() => void>()

  begin(of: ParentKind, call: FunctionName, how: Misbehaviour): void {
    this.#how.set(`${of} ${call}`, how)
  }

  /** Ends all misbehaviour; hanging functions return. */
  end(): void {
    this.#how.clear()
    for (const release of [...this.#hanging]) release()
    this.#hanging.clear()
  }

  /** Misbehaves in an asynchronous function. True: the runtime must call it again. */
  wait(of: ParentKind, call: FunctionName, signal: AbortSignal): Promise<boolean> {
    const how = this.#how.get(`${of} ${call}`)
    if (how === undefined) return Promise.resolve(false)
    if (how === 'throw') throw new Error(`${call} of ${of} throws`)
    if (how === 'wait') return Promise.resolve(true)
    if (how === 'reject') return Promise.reject(new Error(`${call} of ${of} rejects`))
    return new Promise((resolve, reject) => {
      this.#hanging.add(() => resolve(false))
      if (how === 'hang') signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }
}

interface Facts {
  readonly shift: number
}

/**
 * Returns the controller of the given version. It retires the kinds of other versions, so that the runtime prunes their
 * children.
 */
export function strangerController(plan: ControllerPlan, at: number, misbehaviours: Misbehaviours): Controller {
  const { kind } = plan
  const version = plan.versions[at] ?? { templates: [] }
  const fail = (call: PureFunction, { rev }: ParentSpec) => {
    if (version.bug?.of === call && version.bug.rev === rev) throw new Error(`${call} of ${kind} throws`)
  }
  const owned = kindsOf(version)
  const retired = kindsOf(...plan.versions).filter((one) => !owned.includes(one))
  const options: Omit<ControllerOptions<ParentSpec, StatusWithConditions, Facts>, 'status'> = {
    owns: owned.map((one) => ownedOf(one, plan)),
    retired: retired.map(childResource),
    watches: [{ resource: ConfigMap, keysFor: (_, lookup) => lookup('all', 'all'), contributes: true }],
    indexes: { all: () => ['all'] },
    limits: { observeMs: 2_000, cleanupMs: 2_000, reconcileMs: 20_000 },
    observe: async ({ object: { metadata }, live, signal }) => {
      await misbehaviours.wait(kind, 'observe', signal)
      const { namespace = home, name } = metadata
      return { shift: shiftOf(await live.find(ConfigMap, { namespace, name: factName(name) })) }
    },
    validate: ({ object: { spec } }) => {
      fail('refuse', spec)
      return spec.isRefused === true ? { reason: 'Refused', message: 'the plan refuses it' } : undefined
    },
    desired: (chart, { object: { metadata, spec }, facts: { shift } }) => {
      fail('desired', spec)
      declare(chart, kind, version, { name: metadata.name, spec, shift })
    },
    cleanup: async ({ signal }): Promise<CleanupResult> =>
      (await misbehaviours.wait(kind, 'cleanup', signal)) ? { kind: 'waiting', on: 'the plan' } : { kind: 'done' },
  }
  if (!hasStatus(kind)) return defineController<ParentSpec, StatusWithConditions, Facts>(parentResource(kind), options)
  return defineController<ParentSpec, StatusWithConditions, Facts>(parentResource(kind), {
    ...options,
    status: ({ object: { spec } }) => {
      fail('status', spec)
      return { fields: {}, conditions: [] }
    },
  })
}

export function kindsOf(...versions: readonly VersionPlan[]): readonly ChildKind[] {
  return [
    ...new Set(
      versions.flatMap(({ templates }) =>
        templates.flatMap(({ kind, policy }) => (policy.contribute === undefined ? [kind] : [])),
      ),
    ),
  ]
}

function ownedOf(kind: ChildKind, { isAddonOptional }: ControllerPlan): Owned {
  const resource = childResource(kind)
  if (kind === 'Addon') return { resource, hasStatus: false, optional: isAddonOptional }
  return kind === 'Part' || kind === 'Zone' ? { resource, hasStatus: false } : { resource }
}

function declare(
  chart: ConstructorParameters<typeof ApiObject>[0],
  of: ParentKind,
  version: VersionPlan,
  parent: Parameters<typeof declaredChildren>[2],
): void {
  const made = new Map<number, ApiObject>()
  for (const declared of declaredChildren(of, version, parent)) {
    const { kind, name, body, policy, isHeld, at } = declared
    // A child of a cluster-scoped resource has no default namespace.
    const namespace = scopeOf(of) === 'Cluster' || declared.namespace !== home ? namespaceOf(declared) : undefined
    const apiVersion = kind === 'ConfigMap' ? 'v1' : strangerVersion
    const metadata = { ...(body['metadata'] as object | undefined), name, ...(namespace && { namespace }) } // A body of the plan.
    const child = new ApiObject(chart, `child-${at}`, { ...body, apiVersion, kind, metadata })
    made.set(at, child)
    if (policy.shared !== undefined) shared(child, policy.shared)
    if (policy.initialOnly !== undefined) initialOnly(child, policy.initialOnly)
    if (policy.contribute !== undefined) contribute(child)
    if (policy.coOwn === true) coOwn(child)
    if (policy.retain === true) retain(child)
    if (policy.recreate === true) recreateOnChange(child)
    if (isHeld) hold(child, 'is held by the plan')
    const gate = policy.waitsFor === undefined ? undefined : made.get(policy.waitsFor)
    if (gate !== undefined) waitForReady(child, gate)
  }
}
