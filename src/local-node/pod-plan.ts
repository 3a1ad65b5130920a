// Plan of a pod: containers to start, stop, kill and probe, and the time of the next plan. Inputs are the API server's
// object, the state of its containers and the time. Sources: kuberuntime's computePodActions; killing by
// kuberuntime_container.go. Source of a pod's end: kubelet's pod_workers.go.

import { allContainersOf, type ContainerSpec, isSidecar, type PodObject } from './pod.ts'
import { type ContainerLife, containerLife, isStarted, type PodLife, type Stop } from './pod-life.ts'
import { type ProbeKind, probeKinds, probeOf } from './probe-state.ts'
import { restartDueMs } from './restart-backoff.ts'

export type PodAction =
  | { readonly kind: 'start'; readonly container: string }
  /** Run the pre-stop hook, then send SIGTERM; a `kill` follows after the grace period. `message` is for the Event. */
  | {
      readonly kind: 'stop'
      readonly container: string
      readonly graceMs: number
      readonly why: string
      readonly message: string
    }
  | { readonly kind: 'kill'; readonly container: string }
  | { readonly kind: 'probe'; readonly container: string; readonly probe: ProbeKind }

export interface PodPlan {
  readonly actions: readonly PodAction[]
  /** No container runs or will start: the final status can be written and a deleted pod removed. */
  readonly isOver: boolean
  readonly wakeAtMs?: number
}

const defaultGraceMs = 30_000

export function planPod(pod: PodObject, life: PodLife, nowMs: number): PodPlan {
  const plan = new Planning(pod, life, nowMs)
  const containers = allContainersOf(pod)
  const ending = endingOf(pod, life, nowMs)
  if (ending !== undefined) plan.end(containers, ending)
  else plan.live()
  for (const container of containers) plan.carryStopOn(container)
  const isOver = ending !== undefined && containers.every(({ name }) => isAtRest(containerLife(life, name)))
  const wakeAtMs = plan.wakeAtMs
  return { actions: plan.actions, isOver, ...(wakeAtMs === undefined ? {} : { wakeAtMs }) }
}

export interface Ending {
  readonly why: string
  /** Status fields of a pod that failed as a whole. */
  readonly failure?: { readonly reason: string; readonly message: string }
}

/** Returns why all containers of the pod must end; undefined while the pod lives. */
export function endingOf(pod: PodObject, life: PodLife, nowMs: number): Ending | undefined {
  const { metadata, spec, status } = pod
  if (metadata.deletionTimestamp !== undefined) return { why: 'the pod is deleted' }
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return { why: 'the pod has ended' }
  const deadlineMs = deadlineOf(pod, life)
  if (deadlineMs !== undefined && nowMs >= deadlineMs) {
    const message = 'Pod was active on the node longer than the specified deadline'
    return { why: 'its active deadline has passed', failure: { reason: 'DeadlineExceeded', message } }
  }
  const hasFailedInit = (spec.initContainers ?? []).some((init) => {
    const { state } = containerLife(life, init.name)
    return state.kind === 'exited' && state.exit.exitCode !== 0 && !isRestarted(pod, init, state.exit.exitCode)
  })
  if (hasFailedInit) return { why: 'an init container failed' }
  const isDone = spec.containers.every((container) => {
    const { state } = containerLife(life, container.name)
    return state.kind === 'exited' && !isRestarted(pod, container, state.exit.exitCode)
  })
  return isDone ? { why: 'its containers have ended' } : undefined
}

/** Returns whether a container with this exit code restarts while its pod lives. */
export function isRestarted(pod: PodObject, container: ContainerSpec, exitCode: number): boolean {
  if (isSidecar(container)) return true
  const isInit = (pod.spec.initContainers ?? []).includes(container)
  const policy = pod.spec.restartPolicy ?? 'Always'
  // A successful init container is done, whatever the policy.
  if (isInit && exitCode === 0) return false
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

/** Returns whether the init containers have completed, or a container has started after them. */
export function isInitialized(pod: PodObject, life: PodLife): boolean {
  const hasBegun = pod.spec.containers.some(({ name }) => {
    const { state, previous } = containerLife(life, name)
    return previous !== undefined || state.kind === 'running' || state.kind === 'exited'
  })
  return hasBegun || (pod.spec.initContainers ?? []).every((init) => isPassed(init, containerLife(life, init.name)))
}

function isPassed(init: ContainerSpec, life: ContainerLife): boolean {
  if (isSidecar(init)) return isStarted(life)
  return life.state.kind === 'exited' && life.state.exit.exitCode === 0
}

function isAtRest({ state }: ContainerLife): boolean {
  return state.kind === 'waiting' || state.kind === 'exited'
}

function deadlineOf({ spec, status }: PodObject, life: PodLife): number | undefined {
  if (spec.activeDeadlineSeconds === undefined) return undefined
  const startedAtMs = status?.startTime === undefined ? life.seenAtMs : Date.parse(status.startTime)
  return startedAtMs + spec.activeDeadlineSeconds * 1000
}

/** Collects the actions of one plan. */
class Planning {
  readonly actions: PodAction[] = []
  wakeAtMs: number | undefined
  readonly #pod: PodObject
  readonly #life: PodLife
  readonly #nowMs: number

  constructor(pod: PodObject, life: PodLife, nowMs: number) {
    this.#pod = pod
    this.#life = life
    this.#nowMs = nowMs
  }

  /** Stops the containers; sidecars end after the others. */
  end(containers: readonly ContainerSpec[], { why }: Ending): void {
    const rest = containers.filter((container) => !isSidecar(container))
    const isLast = rest.every(({ name }) => isAtRest(this.#of(name)))
    for (const { name } of isLast ? containers : rest)
      this.#stop(name, this.#podGraceMs(), { why, message: `Stopping container ${name}` })
  }

  live(): void {
    const { spec } = this.#pod
    const deadlineMs = deadlineOf(this.#pod, this.#life)
    if (deadlineMs !== undefined) this.#wakeBy(deadlineMs)
    const isReadyForAll = isInitialized(this.#pod, this.#life)
    for (const init of spec.initContainers ?? []) {
      if (isReadyForAll && !isSidecar(init)) continue
      this.#keep(init)
      if (!isReadyForAll && !isPassed(init, this.#of(init.name))) return
    }
    for (const container of spec.containers) this.#keep(container)
  }

  /** Continues a started stop to its end, whatever happens meanwhile. */
  carryStopOn({ name }: ContainerSpec): void {
    const { state } = this.#of(name)
    if (state.kind !== 'running' || state.stop === undefined || state.stop.isKilled) return
    const killAtMs = state.stop.beganAtMs + this.#graceMsOf(state.stop)
    if (this.#nowMs >= killAtMs) this.actions.push({ kind: 'kill', container: name })
    else this.#wakeBy(killAtMs)
  }

  #keep(container: ContainerSpec): void {
    const { name } = container
    const { state, backoff } = this.#of(name)
    if (state.kind === 'waiting') this.#startAt(name, state.trouble?.retryAtMs ?? this.#nowMs)
    if (state.kind === 'exited' && isRestarted(this.#pod, container, state.exit.exitCode)) {
      this.#startAt(name, restartDueMs(backoff, state.exit.finishedAtMs ?? this.#nowMs))
    }
    if (state.kind === 'running' && state.stop === undefined) this.#look(container)
  }

  /** Stops a container with a failed probe, and starts the probes that are due. */
  #look(container: ContainerSpec): void {
    const { name } = container
    const life = this.#of(name)
    for (const kind of ['startup', 'liveness'] as const) {
      if (life.probes[kind]?.verdict !== 'failure') continue
      const seconds = probeOf(container, kind)?.terminationGracePeriodSeconds
      const graceMs = seconds === undefined ? this.#podGraceMs() : seconds * 1000
      const isLast = !isRestarted(this.#pod, container, 1)
      const message = `Container ${name} failed ${kind} probe${isLast ? '' : ', will be restarted'}`
      this.#stop(name, graceMs, { why: `its ${kind} probe failed`, message })
      return
    }
    for (const kind of probeKinds) {
      const probe = life.probes[kind]
      if (probe === undefined || probe.isUnderWay || probe.isDecided) continue
      if (kind !== 'startup' && !isStarted(life)) continue
      if (this.#nowMs >= probe.nextAtMs) this.actions.push({ kind: 'probe', container: name, probe: kind })
      else this.#wakeBy(probe.nextAtMs)
    }
  }

  #startAt(container: string, atMs: number): void {
    if (this.#nowMs >= atMs) this.actions.push({ kind: 'start', container })
    else this.#wakeBy(atMs)
  }

  #stop(name: string, graceMs: number, words: { readonly why: string; readonly message: string }): void {
    const { state } = this.#of(name)
    if (state.kind !== 'running' || state.stop !== undefined) return
    this.actions.push({ kind: 'stop', container: name, graceMs, ...words })
    this.#wakeBy(this.#nowMs + graceMs)
  }

  /** Returns the grace period of a stop; a deletion can shorten it. */
  #graceMsOf({ graceMs }: Stop): number {
    return this.#pod.metadata.deletionTimestamp === undefined ? graceMs : Math.min(graceMs, this.#podGraceMs())
  }

  #podGraceMs(): number {
    const { metadata, spec } = this.#pod
    const seconds = metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds
    return seconds === undefined ? defaultGraceMs : seconds * 1000
  }

  #of(name: string): ContainerLife {
    return containerLife(this.#life, name)
  }

  #wakeBy(atMs: number): void {
    this.wakeAtMs = Math.min(this.wakeAtMs ?? atMs, atMs)
  }
}
