// Runner of containers: prepares volumes, variables, mounts and log, and starts the program of the image. It returns a
// running container that can be probed, stopped and awaited. A simulated container has no process.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Clock, deadline, sleep } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import type { KubeClient } from '../kube/client.ts'
import { environmentOf, environmentSources } from './container-environment.ts'
import { requestedUser } from './container-user.ts'
import { ImageMissingError, type ImageTable, type Program, programOf } from './images.ts'
import { LogRecorder } from './log-recorder.ts'
import type { Mount } from './mount-paths.ts'
import { type ContainerSpec, isSidecar, type PodObject, type Probe } from './pod.ts'
import type { PodPlace } from './pod-field.ts'
import { type HandlerPlace, runHandler } from './probe-runner.ts'
import type { LocalProcess, ProcessRunner } from './process-runner.ts'
import { SourceLoader } from './source-loader.ts'
import { ContainerConfigError } from './source-objects.ts'
import { readTerminationMessage } from './termination-loader.ts'
import { expandVariables } from './variable-expansion.ts'
import type { VolumePaths, VolumeProvisioner } from './volume-provisioner.ts'

export interface ContainerRunnerOptions {
  readonly clock: Clock
  readonly log: Log
  readonly client: KubeClient
  readonly images: ImageTable
  readonly processes: ProcessRunner
  readonly volumes: VolumeProvisioner
  readonly nodeName: string
  /** User of the node; only root can switch to other users. */
  readonly userId: number | undefined
  readonly hostIp: string
  readonly allocatable: Readonly<Record<string, string>>
  /** Variables of this machine, e.g. PATH; those of the node and the container override them. */
  readonly machineEnvironment: Readonly<Record<string, string>>
  /** Variables that every container gets, e.g. the API server's address. */
  readonly given: ReadonlyMap<string, string>
}

export interface ContainerStart {
  readonly pod: PodObject
  readonly spec: ContainerSpec
  readonly containerId: string
  /** Previous run, whose log is kept; older logs are deleted. */
  readonly previousId: string | undefined
  readonly podIp: string
}

export interface ContainerExit {
  readonly exitCode: number
  readonly message?: string
}

export interface RunningProgram {
  /** Name of the program that runs for the image. */
  readonly name: string
  /** User of the process; undefined on platforms without numeric users. */
  readonly userId: number | undefined
}

/** Result of a probe; a failure has its message. */
export type ProbeSeen = { readonly answer: 'success' } | { readonly answer: 'failure'; readonly message: string }

export interface RunningContainer {
  readonly exit: Promise<ContainerExit>
  /** Undefined for a simulated container. */
  readonly program: RunningProgram | undefined
  /** Runs a probe; undefined if the container ended first. */
  probe(probe: Probe): Promise<ProbeSeen | undefined>
  /**
   * Runs the pre-stop hook, within the grace period, then sends SIGTERM. Resolves after the signal, not after the end.
   */
  stop(graceMs: number): Promise<void>
  kill(): void
}

/** Size limit of a log file; a run keeps at most twice this. */
const logLimitBytes = 10 * 1024 * 1024
/** Run time of a simulated container in a pod that runs to completion. */
const simulatedWorkMs = 1_000

export class ContainerRunner {
  readonly #options: ContainerRunnerOptions
  readonly #sources: SourceLoader

  constructor(options: ContainerRunnerOptions) {
    this.#options = options
    this.#sources = new SourceLoader(options.client)
  }

  /**
   * Starts a container. Rejects with a ContainerConfigError if its configuration cannot be met, and with another error
   * if the start fails.
   */
  async start(start: ContainerStart, signal: AbortSignal): Promise<RunningContainer> {
    const { pod, spec } = start
    rejectUnserved(spec)
    const place = this.#placeOf(start.podIp)
    const paths = await this.#options.volumes.provide(pod, place, signal)
    const variables = await this.#variablesOf(start, place, signal)
    const volumeMounts = await this.#options.volumes.mount(pod, spec, { paths, variables })
    const termination = await this.#options.volumes.provideTerminationFile(pod, spec)
    const mounts = termination === undefined ? volumeMounts : [...volumeMounts, termination]
    const folder = join(this.#folderOf(start), 'root')
    const expanded = (texts: readonly string[] = []) => texts.map((text) => expandVariables(text, variables))
    const ask = {
      image: spec.image,
      command: expanded(spec.command),
      args: expanded(spec.args),
      workingFolder: spec.workingDir,
      environment: variables,
      user: this.#options.userId === 0 ? requestedUser(pod, spec) : undefined,
    }
    const verdict = programOf(this.#options.images, ask, {
      image: spec.image,
      podIp: start.podIp,
      namespace: pod.metadata.namespace ?? '',
      mounts,
      folder,
    })
    if (verdict.kind === 'refused') throw new ContainerConfigError(verdict.message)
    if (verdict.kind === 'missing') throw new ImageMissingError(verdict.message)
    if (verdict.kind === 'simulated') return new SimulatedContainer(this.#options.clock, workMsOf(pod, spec))
    const program = { ...verdict.program, environment: this.#completed(start, verdict.program, folder) }
    return this.#startProgram(start, { program, paths, mounts, termination })
  }

  /** Updates the files of the pod's volumes. */
  async refresh(pod: PodObject, podIp: string): Promise<void> {
    await this.#options.volumes.provide(pod, this.#placeOf(podIp), AbortSignal.timeout(30_000))
  }

  /** Returns the path of the log of one run of a container. */
  logPath(podUid: string, container: string, containerId: string): string {
    return join(this.#options.volumes.containerFolder(podUid, container), 'logs', `${containerId}.log`)
  }

  /** Removes the files of the pod from this machine. */
  async clear(pod: PodObject): Promise<void> {
    this.#sources.forget(pod.metadata.uid)
    await this.#options.volumes.remove(pod.metadata.uid)
  }

  async #startProgram(
    start: ContainerStart,
    { program, paths, mounts, termination }: ProgramPlan,
  ): Promise<RunningContainer> {
    const { clock, log, processes, volumes } = this.#options
    const { pod, spec, containerId } = start
    for (const { name, text } of program.files ?? []) {
      const path = join(this.#folderOf(start), 'root', name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text, { mode: 0o600 })
    }
    await mkdir(program.workingFolder, { recursive: true })
    const { user } = program
    if (user !== undefined) await volumes.handOver(pod, { container: spec.name, paths, user })
    await this.#dropOldLogs(start)
    const path = this.logPath(pod.metadata.uid, spec.name, containerId)
    const recorder = new LogRecorder({ clock, path, limitBytes: logLimitBytes })
    await recorder.open()
    const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000
    try {
      const process = await processes.start({ containerId, program, graceMs })
      const source = { clock, path, isLive: () => false }
      const lastWords = (exitCode: number) =>
        readTerminationMessage({ spec, exitCode, path: termination?.realPath, log: source })
      const { podIp } = start
      const { userId } = this.#options
      const facts = { clock, log, spec, program, process, recorder, podIp, mounts, userId, lastWords }
      return new ProcessContainer(facts)
    } catch (thrown) {
      await recorder.close()
      throw new Error(`exec: "${program.command}": ${messageOf(thrown)}`, { cause: thrown })
    }
  }

  async #dropOldLogs({ pod, spec, previousId }: ContainerStart): Promise<void> {
    const folder = dirname(this.logPath(pod.metadata.uid, spec.name, ''))
    const names = await readdir(folder).catch(() => [])
    const old = names.filter((name) => previousId === undefined || !name.startsWith(previousId))
    await Promise.all(old.map((name) => rm(join(folder, name), { force: true })))
  }

  async #variablesOf(
    start: ContainerStart,
    place: PodPlace,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const { allocatable, given } = this.#options
    const { pod, spec: container } = start
    const names = environmentSources(container)
    const sources = await this.#sources.load({ pod, purpose: container.name, names }, signal)
    return environmentOf({ pod, container, sources, place, allocatable, given })
  }

  /**
   * Returns the environment of the process. The container's variables override the node's, which override the
   * machine's.
   */
  #completed({ pod, podIp }: ContainerStart, program: Program, folder: string): ReadonlyMap<string, string> {
    return new Map([
      ...Object.entries(this.#options.machineEnvironment),
      ['HOME', folder],
      ['HOSTNAME', pod.spec.hostname ?? pod.metadata.name],
      ['KONVERGE_POD_IP', podIp],
      ['KONVERGE_ROOT', folder],
      ...program.environment,
    ])
  }

  #placeOf(podIp: string): PodPlace {
    return { podIp, hostIp: this.#options.hostIp, nodeName: this.#options.nodeName }
  }

  #folderOf({ pod, spec }: ContainerStart): string {
    return this.#options.volumes.containerFolder(pod.metadata.uid, spec.name)
  }
}

interface ProgramPlan {
  readonly program: Program
  readonly paths: VolumePaths
  readonly mounts: readonly Mount[]
  /** Termination message file of the container. */
  readonly termination: Mount | undefined
}

/** Rejects unsupported features before the start. */
function rejectUnserved({ startupProbe, livenessProbe, readinessProbe, lifecycle }: ContainerSpec): void {
  if (lifecycle?.postStart !== undefined) {
    throw new ContainerConfigError(
      'the local node runs no postStart hooks; do that work in the container or in an init container',
    )
  }
  const hasGrpc = [startupProbe, livenessProbe, readinessProbe].some((probe) => probe?.grpc !== undefined)
  if (!hasGrpc) return
  throw new ContainerConfigError('the local node makes no gRPC probes; use httpGet, tcpSocket or exec')
}

/**
 * Returns the run time of a simulated container, in milliseconds. Undefined (indefinite) with restart policy Always
 * and for sidecars; 0 for other init containers; else `simulatedWorkMs`.
 */
function workMsOf(pod: PodObject, spec: ContainerSpec): number | undefined {
  if (isSidecar(spec)) return undefined
  if ((pod.spec.initContainers ?? []).includes(spec)) return 0
  return (pod.spec.restartPolicy ?? 'Always') === 'Always' ? undefined : simulatedWorkMs
}

class SimulatedContainer implements RunningContainer {
  readonly exit: Promise<ContainerExit>
  readonly program = undefined
  readonly #end = Promise.withResolvers<ContainerExit>()

  constructor(clock: Clock, workMs: number | undefined) {
    this.exit = this.#end.promise
    if (workMs !== undefined) clock.setTimer(workMs, () => this.#end.resolve({ exitCode: 0 }))
  }

  probe(): Promise<ProbeSeen> {
    return Promise.resolve({ answer: 'success' })
  }

  stop(): Promise<void> {
    this.#end.resolve({ exitCode: 0 })
    return Promise.resolve()
  }

  kill(): void {
    this.#end.resolve({ exitCode: 137 })
  }
}

interface ProcessContainerOptions {
  readonly clock: Clock
  readonly log: Log
  readonly spec: ContainerSpec
  readonly program: Program
  readonly process: LocalProcess
  readonly recorder: LogRecorder
  readonly podIp: string
  readonly mounts: readonly Mount[]
  /** User of the node. */
  readonly userId: number | undefined
  /** Reads the termination message. */
  readonly lastWords: (exitCode: number) => Promise<string | undefined>
}

class ProcessContainer implements RunningContainer {
  readonly exit: Promise<ContainerExit>
  readonly program: RunningProgram
  readonly #options: ProcessContainerOptions
  readonly #ended = new AbortController()

  constructor(options: ProcessContainerOptions) {
    this.#options = options
    const { command, standsFor, user } = options.program
    this.program = { name: standsFor ?? command, userId: user?.uid ?? options.userId }
    this.exit = this.#runToEnd()
  }

  async probe(probe: Probe): Promise<ProbeSeen | undefined> {
    const { clock, spec, log } = this.#options
    const limit = deadline(clock, (probe.timeoutSeconds ?? 1) * 1000, this.#ended.signal)
    try {
      await runHandler(probe, this.#place(), limit.signal)
      return { answer: 'success' }
    } catch (thrown) {
      if (this.#ended.signal.aborted) return undefined
      const message = messageOf(thrown)
      log.debug({ container: spec.name, error: message }, 'a probe failed')
      return { answer: 'failure', message }
    } finally {
      limit.clear()
    }
  }

  async stop(graceMs: number): Promise<void> {
    const { clock, spec, process, log } = this.#options
    const hook = spec.lifecycle?.preStop
    if (hook !== undefined) {
      const limit = deadline(clock, graceMs, this.#ended.signal)
      try {
        if (hook.sleep === undefined) await runHandler(hook, this.#place(), limit.signal)
        else await sleep(clock, hook.sleep.seconds * 1000, limit.signal)
      } catch (thrown) {
        log.warn(
          { container: spec.name, error: messageOf(thrown) },
          'the preStop hook failed; the container is stopped all the same',
        )
      } finally {
        limit.clear()
      }
    }
    process.terminate()
  }

  kill(): void {
    this.#options.process.kill()
  }

  async #runToEnd(): Promise<ContainerExit> {
    const { process, recorder, lastWords } = this.#options
    const output = Promise.all([recorder.record('stdout', process.stdout), recorder.record('stderr', process.stderr)])
    const exitCode = await process.exit
    this.#ended.abort(new CodedError({ code: 'Ended', message: 'the container has ended', remedy: 'stop' }))
    await output.catch(() => undefined) // A full disk must not hide the container's exit.
    await recorder.close()
    const message = await lastWords(exitCode).catch(() => undefined)
    return { exitCode, ...(message === undefined ? {} : { message }) }
  }

  #place(): HandlerPlace {
    const { podIp, spec, program, mounts } = this.#options
    return { podIp, ports: spec.ports ?? [], program, mounts }
  }
}
