// Node of the cluster on this machine, a client of the API server like a kubelet. It registers its Node and runs pods
// bound to it as local processes. Invariants: it stops every process that it starts, and first ends those that a killed
// node left.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from '../base/assert.ts'
import { type Clock, deadline } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import { Informers } from '../cache/informers.ts'
import type { KubeClient } from '../kube/client.ts'
import { PersistentVolume, Pod, Service } from '../object/built-in.ts'
import { type LiveObject, valueAt } from '../object/object.ts'
import { AddressProvisioner } from './address-provisioner.ts'
import { ContainerRunner } from './container-runner.ts'
import { EventRecorder } from './event-recorder.ts'
import { claimFolder } from './folder-provisioner.ts'
import { type ImageTable, isSimulated } from './images.ts'
import { KubeletServer, type LogAnswer, type LogAsk } from './kubelet-server.ts'
import { readLog } from './log-loader.ts'
import { loggedRunOf, simulatedRejection } from './log-query.ts'
import { allocatableOf, type Machine } from './node-object.ts'
import { NodeReconciler } from './node-reconciler.ts'
import { allContainersOf, type PodObject } from './pod.ts'
import { addressFor } from './pod-address.ts'
import { PodRecorder } from './pod-recorder.ts'
import { PodRunner } from './pod-runner.ts'
import { passageMode } from './private-folder-provisioner.ts'
import { ProcessRunner } from './process-runner.ts'
import { ServiceRunner } from './service-runner.ts'
import { VolumeProvisioner } from './volume-provisioner.ts'

export interface NodeRunnerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  readonly client: KubeClient
  /** Name of the node in the cluster. */
  readonly name: string
  /** Folder of all its files; one node at a time holds it. */
  readonly folder: string
  readonly machine: Machine
  readonly images: ImageTable
  /** Version of this program. */
  readonly version: string
  /** Address of the API server for pods, e.g. `https://127.0.0.1:6443`. */
  readonly server: string
  /** Variables of every process, e.g. PATH. */
  readonly machineEnvironment: Readonly<Record<string, string>>
  /** First two bytes of pod addresses; the node claims an exclusive part of the range. Default: `127.50`. */
  readonly podRange?: string
  /** First two bytes of the local addresses of Services. Default: `127.51`. */
  readonly serviceRange?: string
  /** Time for pods to end when the node stops, in milliseconds. Default: 10,000. */
  readonly stopLimitMs?: number
  /** Port of the log server; 0 takes any free one. Default: 0. */
  readonly logPort?: number
  /**
   * PEM certificate with which the API server authenticates to read logs. Absent: no client can read logs over the
   * network.
   */
  readonly logReader?: string
}

const hostIp = '127.0.0.1'
const defaultPodRange = '127.50'
const defaultServiceRange = '127.51'
const defaultStopLimitMs = 10_000
/** Limit of the last writes. */
const farewellLimitMs = 3_000

export class NodeRunner {
  readonly #options: NodeRunnerOptions
  /** Pods by UID. */
  readonly #pods = new Map<string, PodRunner>()
  readonly #volumes: VolumeProvisioner
  readonly #processes: ProcessRunner
  readonly #containers: ContainerRunner
  readonly #server: KubeletServer
  readonly #events: EventRecorder
  readonly #addresses: AddressProvisioner
  readonly #services: ServiceRunner
  /** Ends the services of the pods, after the pods have ended. */
  readonly #ended = new AbortController()
  #state: 'new' | 'running' | 'stopping' = 'new'

  constructor(options: NodeRunnerOptions) {
    this.#options = options
    const { clock, client, folder, machine, instruments, images, name, server, machineEnvironment } = options
    const { log } = instruments
    const allocatable = allocatableOf(machine)
    mkdirSync(folder, { recursive: true, mode: passageMode(machine.userId) })
    this.#volumes = new VolumeProvisioner({ clock, client, folder, allocatable, userId: machine.userId })
    this.#processes = new ProcessRunner({ clock, log, folder: join(folder, 'processes') })
    this.#containers = new ContainerRunner({
      clock,
      log,
      client,
      images,
      processes: this.#processes,
      volumes: this.#volumes,
      nodeName: name,
      userId: machine.userId,
      hostIp,
      allocatable,
      machineEnvironment,
      given: apiServerVariables(server),
    })
    this.#events = new EventRecorder({ clock, log, client, nodeName: name, signal: this.#ended.signal })
    const ranges = {
      pods: options.podRange ?? defaultPodRange,
      services: options.serviceRange ?? defaultServiceRange,
    }
    this.#addresses = new AddressProvisioner({ log, folder, ranges })
    this.#services = new ServiceRunner({
      log,
      client,
      addresses: this.#addresses,
      pods: () => [...this.#pods.values()].map(({ asReady }) => asReady).filter((pod) => pod !== undefined),
      signal: this.#ended.signal,
    })
    this.#server = new KubeletServer({
      clock,
      log,
      host: hostIp,
      port: options.logPort ?? 0,
      reader: options.logReader,
      logs: (ask, signal) => this.logs(ask, signal),
    })
  }

  /**
   * Runs until the signal aborts; then stops every pod, sets the node not ready, and resolves. Rejects with a NodeError
   * if another node holds its name, folder or addresses.
   */
  async run(signal: AbortSignal): Promise<void> {
    assert(this.#state === 'new', 'a node runs once')
    this.#state = 'running'
    const killAll = () => {
      for (const pod of this.#pods.values()) pod.killNow()
    }
    const claim = claimFolder(this.#options.folder)
    process.once('exit', killAll)
    try {
      await this.#processes.endOrphans(signal)
      await this.#addresses.claim()
      const node = this.#reconciler(await this.#server.start())
      await node.register(signal)
      const informers = this.#watch()
      informers.start(this.#ended.signal)
      await node.run(signal)
      await this.#stop(node, informers)
    } finally {
      this.#ended.abort(new Error('the local node has ended'))
      killAll()
      await this.#server.stop()
      await this.#addresses.release()
      process.off('exit', killAll)
      claim.release()
    }
  }

  /** Returns the log of a container for `kubectl logs`, or a rejection with its reason. */
  logs({ namespace, pod, container, options }: LogAsk, signal: AbortSignal): LogAnswer {
    const runner = [...this.#pods.values()].find(
      ({ pod: { metadata } }) => metadata.namespace === namespace && metadata.name === pod,
    )
    if (runner === undefined) return { kind: 'refused', status: 404, message: `pod "${pod}" does not exist` }
    const run = loggedRunOf(pod, container, { status: runner.statusOf(container), previous: options.previous })
    if ('kind' in run) return run
    const { containerId } = run
    const image = allContainersOf(runner.pod).find(({ name }) => name === container)?.image ?? ''
    if (isSimulated(this.#options.images, image)) return simulatedRejection(pod, container, image)
    const path = this.#containers.logPath(runner.pod.metadata.uid, container, containerId)
    const source = { clock: this.#options.clock, path, isLive: () => runner.isLive(container, containerId) }
    return { kind: 'log', chunks: readLog(source, options, signal) }
  }

  #reconciler(logPort: number): NodeReconciler {
    const { clock, client, instruments, name, machine, version } = this.#options
    const facts = { name, machine, hostIp, logPort, runtimeVersion: version }
    return new NodeReconciler({ clock, log: instruments.log, client, facts })
  }

  #watch(): Informers {
    const { name } = this.#options
    const informers = new Informers({ ...this.#options, keepsFieldsOf: undefined })
    const pods = informers.informerFor({ resource: Pod, fieldSelector: `spec.nodeName=${name}` })
    pods.addHandler(({ kind, object }) => (kind === 'deleted' ? this.#gone(object) : this.#seen(object)))
    const services = informers.informerFor({ resource: Service })
    services.addHandler(({ kind, object }) => {
      if (kind === 'deleted') this.#services.gone(object)
      else if (this.#state === 'running') this.#services.seen(object)
    })
    const volumes = informers.informerFor({ resource: PersistentVolume })
    volumes.addHandler(({ kind, object }) => {
      if (kind === 'deleted') this.#volumeGone(object)
    })
    return informers
  }

  #seen(object: LiveObject): void {
    if (this.#state !== 'running') return
    const { uid, namespace, name } = object.metadata
    const known = this.#pods.get(uid)
    if (known !== undefined) return known.update(object)
    // Sound: the API server validates pods.
    const pod = object as PodObject
    const { clock, instruments, random, client } = this.#options
    const log = instruments.log
    const part = this.#addresses.partOf('pods')
    // The pod keeps its address across restarts of the node, unless another pod has it.
    const podIp = addressFor({ part, before: pod.status?.podIP, inUse: this.#podAddresses })
    if (podIp === undefined) return log.error({ namespace, pod: name }, `no address is left in ${part}.0/24`)
    const signal = this.#ended.signal
    this.#pods.set(
      uid,
      new PodRunner({
        clock,
        log,
        pod,
        podIp,
        hostIp,
        containers: this.#containers,
        onChange: (ready) => this.#services.podChanged(ready),
        report: (about, report) => this.#events.record(about, report),
        recorder: (onAnswer) => new PodRecorder({ clock, log, client, signal, onAnswer }),
        newContainerId: () => `${random.uuid()}${random.uuid()}`.replaceAll('-', ''),
        onGone: () => void this.#pods.delete(uid),
        signal,
      }),
    )
  }

  #gone({ metadata }: LiveObject): void {
    this.#pods.get(metadata.uid)?.forget()
  }

  /**
   * Deletes the data of a deleted volume with reclaim policy Delete. Data of a volume that was deleted while no node
   * ran remains.
   */
  #volumeGone(volume: LiveObject): void {
    if (valueAt(volume, 'spec', 'persistentVolumeReclaimPolicy') !== 'Delete') return
    this.#volumes.removePersistent(volume.metadata.uid).catch((thrown: unknown) => {
      const { log } = this.#options.instruments
      log.warn({ volume: volume.metadata.name, error: messageOf(thrown) }, 'the data of a volume could not be removed')
    })
  }

  get #podAddresses(): ReadonlySet<string> {
    return new Set([...this.#pods.values()].map(({ life }) => life.podIp))
  }

  async #stop(node: NodeReconciler, informers: Informers): Promise<void> {
    this.#state = 'stopping'
    const { clock, instruments, stopLimitMs = defaultStopLimitMs } = this.#options
    const pods = [...this.#pods.values()]
    await Promise.all(pods.map((pod) => pod.shutDown(stopLimitMs)))
    const limit = deadline(clock, farewellLimitMs, new AbortController().signal)
    try {
      const tooLate = new Promise((resolve) => limit.signal.addEventListener('abort', resolve))
      await Promise.race([Promise.all(pods.map((pod) => pod.settled())), tooLate])
      await node.leave(limit.signal)
      await this.#services.stop(limit.signal)
      // Events come last, because they matter least.
      await Promise.race([this.#events.end(), tooLate])
    } catch (thrown) {
      instruments.log.warn({ error: messageOf(thrown) }, 'could not say that the node stops')
    } finally {
      limit.clear()
    }
    this.#ended.abort(new Error('the local node has ended'))
    await informers.stop()
  }
}

/** Returns the variables by which client libraries find the API server in a pod. */
function apiServerVariables(server: string): ReadonlyMap<string, string> {
  const { hostname, port, protocol } = new URL(server)
  return new Map([
    ['KUBERNETES_SERVICE_HOST', hostname],
    ['KUBERNETES_SERVICE_PORT', port === '' ? (protocol === 'https:' ? '443' : '80') : port],
    ['KUBERNETES_SERVICE_PORT_HTTPS', port === '' ? '443' : port],
  ])
}
