// Conditions of a pod, with a kubelet's reasons and messages. Conditions of other writers stay unchanged. Source:
// kubelet/status/generate.go.

import { statusNamed } from './container-status.ts'
import type { ContainerSpec, ContainerStatus, PodCondition, PodObject, PodPhase } from './pod.ts'
import { isSidecar } from './pod.ts'

export interface ConditionFacts {
  readonly pod: PodObject
  readonly phase: PodPhase
  readonly init: readonly ContainerStatus[]
  readonly containers: readonly ContainerStatus[]
  /** Its address and folders exist and are not being removed. */
  readonly isSetUp: boolean
  /** RFC 3339 with whole seconds. */
  readonly now: string
}

type Claim = Pick<PodCondition, 'status' | 'reason' | 'message'>

/** Returns the conditions in a kubelet's order. */
export function podConditionsOf(facts: ConditionFacts): readonly PodCondition[] {
  const previous = facts.pod.status?.conditions ?? []
  const foreign = previous.filter(({ type }) => !ownTypes.includes(type))
  const claims: Readonly<Record<string, Claim>> = {
    PodReadyToStartContainers: { status: facts.isSetUp ? 'True' : 'False' },
    Initialized: initialized(facts),
    Ready: ready(facts, foreign),
    ContainersReady: containersReady(facts),
    PodScheduled: { status: 'True' },
  }
  const own = ownTypes.map((type) => condition(type, claims[type] ?? { status: 'False' }, facts))
  return [...foreign, ...own]
}

const ownTypes = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled']

function condition(type: string, claim: Claim, { pod, now }: ConditionFacts): PodCondition {
  const before = pod.status?.conditions?.find((candidate) => candidate.type === type)
  const { generation } = pod.metadata
  return {
    type,
    status: claim.status,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastProbeTime: null,
    lastTransitionTime: before?.status === claim.status ? (before.lastTransitionTime ?? now) : now,
    ...(claim.reason === undefined ? {} : { reason: claim.reason }),
    ...(claim.message === undefined ? {} : { message: claim.message }),
  }
}

function initialized({ pod, phase, init, containers }: ConditionFacts): Claim {
  const specs = pod.spec.initContainers ?? []
  const incomplete = specs.filter((spec) => !isComplete(spec, statusNamed(init, spec.name)))
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' }
  if (containers.some(hasBegun) || incomplete.length === 0) return { status: 'True' }
  const message = `containers with incomplete status: ${listed(incomplete)}`
  return { status: 'False', reason: 'ContainersNotInitialized', message }
}

function isComplete(spec: ContainerSpec, status: ContainerStatus | undefined): boolean {
  return isSidecar(spec) ? status?.started === true : status?.ready === true
}

function hasBegun({ state, lastState, restartCount }: ContainerStatus): boolean {
  return state.waiting === undefined || lastState.terminated !== undefined || restartCount > 0
}

function containersReady({ pod, phase, init, containers }: ConditionFacts): Claim {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' }
  const counted = [...(pod.spec.initContainers ?? []).filter(isSidecar), ...pod.spec.containers]
  const unready = counted.filter(({ name }) => statusNamed([...init, ...containers], name)?.ready !== true)
  if (unready.length === 0) return { status: 'True' }
  const message = `containers with unready status: ${listed(unready)}`
  return { status: 'False', reason: 'ContainersNotReady', message }
}

/** Returns the Ready condition. Readiness gates are checked after all containers are ready. */
function ready(facts: ConditionFacts, foreign: readonly PodCondition[]): Claim {
  const containers = containersReady(facts)
  if (containers.status !== 'True') return containers
  const complaints = (facts.pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = foreign.find(({ type }) => type === conditionType)
    if (gate === undefined) return `corresponding condition of pod readiness gate "${conditionType}" does not exist.`
    if (gate.status === 'True') return []
    return `the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`
  })
  if (complaints.length === 0) return { status: 'True' }
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: complaints.join(', ') }
}

/** Formats names as Go prints a slice. */
function listed(specs: readonly ContainerSpec[]): string {
  return `[${specs.map(({ name }) => name).join(' ')}]`
}
