// Local addresses of Services. Cluster IPs are not routed here, so each Service with local pods gets a loopback
// address. The node listens there on the Service's TCP ports, forwards each connection to a ready pod in turn, and
// writes the address to an annotation. Only ports below 1024 need root.
import { connect, createServer, type Server, type Socket } from 'node:net'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import type { KubeClient } from '../kube/client.ts'
import { Service } from '../object/built-in.ts'
import type { LiveObject } from '../object/object.ts'
import type { AddressProvisioner } from './address-provisioner.ts'
import { addressFor } from './pod-address.ts'
import { fieldManager } from './pod-recorder.ts'
import {
  isSelected,
  type LocalPod,
  type ServiceObject,
  type ServicePort,
  servedPorts,
  targetPortOf,
} from './service-port.ts'

export const localAddressAnnotation = 'konverge.dev/local-address'

export interface ServiceRunnerOptions {
  readonly log: Log
  readonly client: KubeClient
  readonly addresses: AddressProvisioner
  /** Returns the pods that are ready now. */
  readonly pods: () => readonly LocalPod[]
  readonly signal: AbortSignal
}

interface Front {
  service: ServiceObject
  readonly address: string
  readonly servers: Map<number, Server>
  readonly sockets: Set<Socket>
  /** Round-robin counter. */
  turn: number
}

export class ServiceRunner {
  readonly #options: ServiceRunnerOptions
  /** Services by UID. */
  readonly #services = new Map<string, ServiceObject>()
  readonly #fronts = new Map<string, Front>()

  constructor(options: ServiceRunnerOptions) {
    this.#options = options
  }

  seen(object: LiveObject): void {
    const service = object as ServiceObject // Sound: the API server validates Services.
    this.#services.set(service.metadata.uid, service)
    this.#look(service)
  }

  gone({ metadata: { uid } }: LiveObject): void {
    this.#services.delete(uid)
    this.#close(uid)
  }

  /** Handles a pod that may have become ready. */
  podChanged(pod: LocalPod): void {
    for (const service of this.#services.values()) if (isSelected(service, pod)) this.#look(service)
  }

  /** Ends all connections and removes the address annotations. */
  async stop(signal: AbortSignal): Promise<void> {
    const fronts = [...this.#fronts.values()]
    for (const { service } of fronts) this.#close(service.metadata.uid)
    await Promise.all(fronts.map(({ service }) => this.#write(service, null, signal)))
  }

  #look(service: ServiceObject): void {
    const { uid } = service.metadata
    const ports = servedPorts(service)
    const isServed = ports.length > 0 && this.#options.pods().some((pod) => isSelected(service, pod))
    const known = this.#fronts.get(uid)
    // An address remains, also while no pod is ready.
    if (known === undefined && !isServed) return this.#takeBack(service)
    if (ports.length === 0) return this.#close(uid)
    const front = known ?? this.#newFront(service)
    if (front === undefined) return
    front.service = service
    for (const [number, server] of front.servers) if (!ports.some(({ port }) => port === number)) server.close()
    for (const port of ports) if (!front.servers.has(port.port)) this.#listen(front, port.port)
  }

  /** Removes an address from a previous run that may now belong to another node. */
  #takeBack(service: ServiceObject): void {
    const { addresses, signal } = this.#options
    if (addresses.isLost(addressOf(service))) void this.#write(service, null, signal)
  }

  #newFront(service: ServiceObject): Front | undefined {
    const { addresses, log, signal } = this.#options
    const part = addresses.partOf('services')
    const inUse = new Set([...this.#fronts.values()].map(({ address }) => address))
    const address = addressFor({ part, before: addressOf(service), inUse })
    if (address === undefined) return void log.error({}, `no address for a Service is left in ${part}.0/24`)
    const front: Front = { service, address, servers: new Map(), sockets: new Set(), turn: 0 }
    this.#fronts.set(service.metadata.uid, front)
    void this.#write(service, address, signal)
    return front
  }

  #listen(front: Front, port: number): void {
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#handOn(front, port, socket))
    front.servers.set(port, server)
    const { namespace, name } = front.service.metadata
    server.once('close', () => front.servers.delete(port))
    server.on('error', (error) => {
      const said = `cannot listen on ${front.address}:${port} for a Service`
      this.#options.log.warn({ namespace, service: name, error: messageOf(error) }, said)
    })
    server.listen({ host: front.address, port })
  }

  /** Forwards a connection to the next ready pod; without one, resets it. */
  #handOn(front: Front, number: number, socket: Socket): void {
    track(front, socket)
    const port = servedPorts(front.service).find(({ port }) => port === number)
    const to = port && this.#next(front, port)
    if (to === undefined) return void socket.resetAndDestroy()
    const pod = connect({ ...to, allowHalfOpen: true })
    track(front, pod)
    pod.on('error', () => socket.resetAndDestroy())
    socket.on('error', () => pod.destroy())
    socket.pipe(pod).pipe(socket)
  }

  #next(front: Front, port: ServicePort): { readonly host: string; readonly port: number } | undefined {
    const targets = this.#options
      .pods()
      .filter((pod) => isSelected(front.service, pod))
      .flatMap((pod) => {
        const target = targetPortOf(port, pod)
        return target === undefined ? [] : [{ host: pod.podIp, port: target }]
      })
    return targets[front.turn++ % targets.length]
  }

  #close(uid: string): void {
    const front = this.#fronts.get(uid)
    if (front === undefined) return
    this.#fronts.delete(uid)
    for (const server of front.servers.values()) server.close()
    for (const socket of front.sockets) socket.destroy()
  }

  /** Writes the annotation. A failure is logged and not retried. */
  async #write({ metadata }: ServiceObject, address: string | null, signal: AbortSignal): Promise<void> {
    const { client, log } = this.#options
    const { namespace, name, uid } = metadata
    const body = { metadata: { uid, annotations: { [localAddressAnnotation]: address } } }
    try {
      await client.patch(Service, { namespace, name }, { type: 'merge', body }, { fieldManager }, signal)
    } catch (thrown) {
      if (signal.aborted) return
      log.warn({ namespace, service: name, error: messageOf(thrown) }, 'the local address of a Service was not written')
    }
  }
}

function addressOf({ metadata }: ServiceObject): string | undefined {
  return metadata.annotations?.[localAddressAnnotation]
}

function track({ sockets }: Front, socket: Socket): void {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
  socket.on('error', () => {}) // `#handOn` closes the other end.
}
