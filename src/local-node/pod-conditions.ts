// Which conditions does a pod have? Those of a kubelet, with its reasons and words; conditions of others stay. Source:
// kubelet/status/generate.go.

import { statusNamed } from './container-status.ts'
import type { ContainerSpec, ContainerStatus, PodCondition, PodObject, PodPhase } from './pod.ts'
import { isSidecar } from './pod.ts'

export interface ConditionFacts {
  readonly pod: PodObject
  readonly phase: PodPhase
  readonly init: readonly ContainerStatus[]
  readonly containers: readonly ContainerStatus[]
  /** Its address and its folders are there, and are not being cleared away. */
  readonly isSetUp: boolean
  /** RFC 3339, whole seconds. */
  readonly now: string
}

type Claim = Pick<PodCondition, 'status' | 'reason' | 'message'>

/** The order is a kubelet's. */
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

/** Readiness gates count once the containers are ready. */
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

/** As Go prints a list of names. */
function listed(specs: readonly ContainerSpec[]): string {
  return `[${specs.map(({ name }) => name).join(' ')}]`
}
