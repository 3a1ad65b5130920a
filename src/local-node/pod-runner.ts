// Runner of one pod: carries out the plans of pod-plan.ts, records facts, and passes the status to the recorder.
// Invariant: decisions are synchronous steps; asynchronous work runs in parallel and returns as a fact.

import { unreachable } from '../base/assert.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import { compareVersions } from '../cache/resource-version.ts'
import { isBeingDeleted, type LiveObject } from '../object/object.ts'
import type { ContainerRunner, RunningContainer, RunningProgram } from './container-runner.ts'
import { containerStatusesOf, initContainerStatusesOf, statusNamed } from './container-status.ts'
import type { PodReport } from './event-book.ts'
import { ignoredFields, ignoredReport } from './ignored-fields.ts'
import { ImageMissingError } from './images.ts'
import { allContainersOf, type ContainerSpec, type ContainerStatus, type PodObject } from './pod.ts'
import {
  beginLife,
  containerLife,
  exitedContainer,
  isReady,
  killedContainer,
  type PodLife,
  type PodProblem,
  probeAnswered,
  probeRequested,
  startedContainer,
  startFailed,
  startingContainer,
  stoppingContainer,
} from './pod-life.ts'
import { endingOf, type PodAction, planPod } from './pod-plan.ts'
import type { PodRecorder } from './pod-recorder.ts'
import { backOffReport, failedStartReports, killingReport, startReports, unhealthyReport } from './pod-reports.ts'
import { podStatusOf } from './pod-status.ts'
import type { ProbeKind } from './probe-state.ts'
import { probeOf } from './probe-state.ts'
import type { LocalPod } from './service-port.ts'
import { ContainerConfigError, VolumeError } from './source-objects.ts'

export interface PodRunnerOptions {
  readonly clock: Clock
  readonly log: Log
  readonly pod: PodObject
  readonly podIp: string
  readonly hostIp: string
  readonly containers: ContainerRunner
  /** Creates the recorder with a handler for the API server's responses. */
  readonly recorder: (onAnswer: (pod: LiveObject) => void) => PodRecorder
  /** Called when the pod may have become ready or unready. */
  readonly onChange: (pod: LocalPod) => void
  readonly report: (pod: PodObject, report: PodReport) => void
  readonly newContainerId: () => string
  /** Called when the pod is removed from this machine and from the API server. */
  readonly onGone: () => void
  readonly signal: AbortSignal
}

/** Delay before the next attempt after a failed start. Source: kubelet's sync period after an error. */
const retryStartMs = 10_000
/** Grace period of processes whose pod object was force-deleted. */
const forcedGraceSeconds = 1
/** Interval at which volumes of ConfigMaps, Secrets and tokens are updated. */
const refreshMs = 60_000

export class PodRunner {
  readonly #options: PodRunnerOptions
  readonly #recorder: PodRecorder
  readonly #running = new Map<string, RunningContainer>()
  /** Program of each container's last run; undefined for a simulated one. */
  readonly #programs = new Map<string, RunningProgram | undefined>()
  readonly #work = new Set<Promise<void>>()
  #pod: PodObject
  #life: PodLife
  #timer: Timer | undefined
  #refreshTimer: Timer | undefined
  #state: 'living' | 'shutting down' | 'finishing' | 'gone' = 'living'
  /** The pod object was deleted before its processes ended, so no status can be written. */
  #isForgotten = false
  #isStepDue = false
  #hasSaidWhatIsIgnored = false

  constructor(options: PodRunnerOptions) {
    const { pod, podIp, clock } = options
    this.#options = options
    this.#pod = pod
    this.#life = beginLife(pod, { podIp, nowMs: clock.now() })
    this.#recorder = options.recorder((answer) => this.update(answer))
    this.#refreshLater()
    this.#wake()
  }

  get pod(): PodObject {
    return this.#pod
  }

  get life(): PodLife {
    return this.#life
  }

  /** Returns the pod if all containers are ready and at least one is a process; else undefined. */
  get asReady(): LocalPod | undefined {
    const { containers } = this.#pod.spec
    const isServing =
      this.#state === 'living' &&
      containers.every(({ name }) => isReady(containerLife(this.#life, name))) &&
      containers.some(({ name }) => this.#programs.get(name) !== undefined)
    return isServing ? { pod: this.#pod, podIp: this.#life.podIp } : undefined
  }

  /** Returns the current status of a container. */
  statusOf(container: string): ContainerStatus | undefined {
    const moment = { pod: this.#pod, life: this.#life, isEnding: false, nowMs: this.#options.clock.now() }
    return statusNamed([...containerStatusesOf(moment), ...initContainerStatusesOf(moment)], container)
  }

  /** Returns whether this run of a container is still running. */
  isLive(container: string, containerId: string): boolean {
    const { state } = containerLife(this.#life, container)
    return state.kind === 'running' && state.containerId === containerId
  }

  /** Takes the API server's pod; ignores versions older than the known one. */
  update(live: LiveObject): void {
    if (live.metadata.uid !== this.#pod.metadata.uid || this.#isForgotten) return
    if (compareVersions(live.metadata.resourceVersion, this.#pod.metadata.resourceVersion) === 'older') return
    // Sound: the API server validates pods, and only pods come here.
    this.#pod = live as PodObject
    this.#wake()
  }

  /** Handles the deletion of the pod object: the processes end immediately. */
  forget(): void {
    this.#isForgotten = true
    const { metadata } = this.#pod
    const deletionTimestamp = metadata.deletionTimestamp ?? new Date(this.#options.clock.now()).toISOString()
    const deletion = { deletionTimestamp, deletionGracePeriodSeconds: forcedGraceSeconds }
    this.#pod = { ...this.#pod, metadata: { ...metadata, ...deletion } }
    this.#wake()
  }

  /** Ends the processes, each within its grace period and all within `limitMs`. The pod object remains, not ready. */
  async shutDown(limitMs: number): Promise<void> {
    if (this.#state === 'living') this.#state = 'shutting down'
    const { clock } = this.#options
    const graceMs = Math.min(limitMs, (this.#pod.spec.terminationGracePeriodSeconds ?? 30) * 1000)
    for (const [name, container] of this.#running) {
      this.#life = stoppingContainer(this.#life, name, graceMs, clock.now())
      this.#run(name, () => container.stop(graceMs))
    }
    const kill = clock.setTimer(graceMs, () => {
      for (const container of this.#running.values()) container.kill()
    })
    while (this.#work.size > 0) await Promise.all(this.#work)
    kill.cancel()
    this.#timer?.cancel()
    this.#refreshTimer?.cancel()
    if (this.#state === 'shutting down' && !this.#isForgotten) this.#recordStatus(false)
  }

  async settled(): Promise<void> {
    await this.#recorder.settled()
  }

  /** Kills all processes, for a node that exits without a stop. */
  killNow(): void {
    for (const container of this.#running.values()) container.kill()
  }

  /** Schedules one step for all facts that arrive together. */
  #wake(): void {
    if (this.#isStepDue) return
    this.#isStepDue = true
    queueMicrotask(() => {
      this.#isStepDue = false
      this.#step()
    })
  }

  #step(): void {
    if (this.#state !== 'living') return
    const { clock, signal } = this.#options
    if (signal.aborted) return
    const nowMs = clock.now()
    const plan = planPod(this.#pod, this.#life, nowMs)
    for (const action of plan.actions) this.#carryOut(action, nowMs)
    this.#timer?.cancel()
    if (plan.wakeAtMs !== undefined) {
      this.#timer = clock.setTimer(Math.max(1, plan.wakeAtMs - nowMs), () => this.#wake())
    }
    if (!this.#isForgotten) this.#recordStatus(plan.isOver)
    if (this.asReady !== undefined) this.#options.onChange(this.asReady)
    if (plan.isOver && isBeingDeleted(this.#pod)) this.#finish()
  }

  #carryOut(action: PodAction, nowMs: number): void {
    switch (action.kind) {
      case 'start':
        this.#life = startingContainer(this.#life, action.container)
        return this.#run(action.container, () => this.#start(action.container))
      case 'stop': {
        const { container, graceMs, message } = action
        this.#life = stoppingContainer(this.#life, container, graceMs, nowMs)
        this.#options.log.info({ ...this.#who(container), why: action.why }, 'the container is stopped')
        this.#report(killingReport(container, message))
        return this.#run(container, async () => this.#running.get(container)?.stop(graceMs))
      }
      case 'kill':
        this.#life = killedContainer(this.#life, action.container, nowMs)
        return this.#running.get(action.container)?.kill()
      case 'probe':
        this.#life = probeRequested(this.#life, action.container, action.probe)
        return this.#run(action.container, () => this.#probe(action.container, action.probe))
      default:
        unreachable(action)
    }
  }

  async #start(name: string): Promise<void> {
    const { clock, containers, newContainerId } = this.#options
    const spec = this.#specOf(name)
    const containerId = newContainerId()
    const previousId = containerLife(this.#life, name).previous?.containerId
    const ask = { pod: this.#pod, spec, containerId, previousId, podIp: this.#life.podIp }
    let container: RunningContainer
    try {
      container = await containers.start(ask, this.#options.signal)
    } catch (thrown) {
      const retryAtMs = clock.now() + retryStartMs
      this.#life = startFailed(this.#life, name, { ...problemOf(thrown), retryAtMs })
      this.#options.log.warn({ ...this.#who(name), error: messageOf(thrown) }, 'the container could not be started')
      this.#report(...failedStartReports(spec, thrown))
      return
    }
    this.#running.set(name, container)
    this.#programs.set(name, container.program)
    this.#report(...startReports(spec, container.program?.name))
    this.#sayWhatIsIgnored()
    this.#life = startedContainer(this.#life, { spec, containerId, nowMs: clock.now() })
    this.#run(name, () => this.#awaitExit(name, container))
    if (this.#state === 'shutting down') await container.stop(0)
  }

  /**
   * Reports ignored fields once, after all containers have started; simulated containers are exempt, because they
   * ignore everything.
   */
  #sayWhatIsIgnored(): void {
    const isBegun = this.#pod.spec.containers.every(({ name }) => this.#programs.has(name))
    if (this.#hasSaidWhatIsIgnored || !isBegun) return
    this.#hasSaidWhatIsIgnored = true
    if ([...this.#programs.values()].every((program) => program === undefined)) return
    const fields = ignoredFields(this.#pod, ({ name }) => this.#programs.get(name)?.userId)
    if (fields.length > 0) this.#report(ignoredReport(fields))
  }

  async #awaitExit(name: string, container: RunningContainer): Promise<void> {
    const exit = await container.exit
    this.#running.delete(name)
    const nowMs = this.#options.clock.now()
    this.#life = exitedContainer(this.#life, name, { ...exit, nowMs })
    const isWaiting = this.statusOf(name)?.state.waiting?.reason === 'CrashLoopBackOff'
    if (isWaiting && endingOf(this.#pod, this.#life, nowMs) === undefined) this.#report(backOffReport(this.#pod, name))
  }

  async #probe(name: string, kind: ProbeKind): Promise<void> {
    const { state } = containerLife(this.#life, name)
    const probe = probeOf(this.#specOf(name), kind)
    const container = this.#running.get(name)
    if (state.kind !== 'running' || probe === undefined || container === undefined) return
    const seen = await container.probe(probe)
    const nowMs = this.#options.clock.now()
    if (seen?.answer === 'failure') this.#report(unhealthyReport(name, kind, seen.message))
    const answer = seen?.answer
    this.#life = probeAnswered(this.#life, name, { kind, probe, answer, containerId: state.containerId, nowMs })
  }

  #finish(): void {
    this.#state = 'finishing'
    this.#refreshTimer?.cancel()
    this.#run('', async () => {
      if (!this.#isForgotten) {
        await this.#recorder.settled()
        await this.#recorder.remove(this.#pod)
      }
      await this.#options.containers.clear(this.#pod)
      this.#state = 'gone'
      this.#timer?.cancel()
      this.#options.onGone()
    })
  }

  #recordStatus(isOver: boolean): void {
    const { hostIp, clock } = this.#options
    const status = podStatusOf({ pod: this.#pod, life: this.#life, hostIp, isOver, nowMs: clock.now() })
    this.#recorder.record(this.#pod, status)
  }

  #refreshLater(): void {
    this.#refreshTimer = this.#options.clock.setTimer(refreshMs, () => {
      if (this.#state !== 'living' || this.#options.signal.aborted) return
      if (this.#running.size > 0) this.#run('', () => this.#options.containers.refresh(this.#pod, this.#life.podIp))
      this.#refreshLater()
    })
  }

  /** Tracks asynchronous work; its end triggers a step, and its failure is logged. */
  #run(container: string, work: () => Promise<void>): void {
    const running = work()
      .catch((thrown: unknown) => {
        if (this.#options.signal.aborted) return
        this.#options.log.warn({ ...this.#who(container), error: messageOf(thrown) }, 'work on a pod failed')
      })
      .finally(() => {
        this.#work.delete(running)
        this.#wake()
      })
    this.#work.add(running)
  }

  #report(...reports: readonly PodReport[]): void {
    for (const report of reports) this.#options.report(this.#pod, report)
  }

  #specOf(name: string): ContainerSpec {
    const spec = allContainersOf(this.#pod).find((candidate) => candidate.name === name)
    if (spec === undefined) throw new Error(`container ${name} is not in the pod's spec`)
    return spec
  }

  #who(container: string) {
    const { namespace, name } = this.#pod.metadata
    return { namespace, pod: name, ...(container === '' ? {} : { container }) }
  }
}

/** Returns the waiting state of a failed start. Before its volumes exist, a pod has no container state to report. */
function problemOf(thrown: unknown): Omit<PodProblem, 'retryAtMs'> {
  if (thrown instanceof VolumeError) return {}
  return { words: { reason: reasonOf(thrown), message: messageOf(thrown) } }
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof ImageMissingError) return 'ImagePullBackOff'
  return thrown instanceof ContainerConfigError ? 'CreateContainerConfigError' : 'RunContainerError'
}
