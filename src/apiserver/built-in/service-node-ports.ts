// Allocation of node ports: the requested ports if they are free, else any free port of the range.
// Source: k8s.io/kubernetes/pkg/registry/core/service/storage/alloc.go, ../portallocator.
import type { JsonObject } from '../../base/json.ts'
import { invalid } from '../field-error.ts'
import { internalError, invalidObject, plainError } from '../status-error.ts'
import { integerAt, structsAt, textAt, withField } from './field-walk.ts'
import { freeNumber, reservedOf } from './free-number.ts'
import { drawsNodePorts, hasNodePorts, needsHealthCheck } from './service-type.ts'

export interface PortPool {
  /** Both ends inclusive: 30000 and 32767. */
  readonly nodePorts: { readonly from: number; readonly to: number }
  /** True if another Service has this address or port. */
  isTaken(value: string): boolean
  /** Returns a random integer from 0 up to and excluding the limit. */
  below(limit: number): number
}

/** Returns the spec with the ports that it needs. Throws StatusError if a requested port is unavailable. */
export function allocateNodePorts(
  spec: JsonObject,
  oldSpec: JsonObject | undefined,
  pool: PortPool,
  name: string,
): JsonObject {
  const draw = new PortDraw(pool, name)
  const opened = !hasNodePorts(spec)
    ? spec
    : oldSpec === undefined
      ? withNewPorts(spec, draw)
      : withChangedPorts(spec, oldSpec, draw)
  const wasChecked = oldSpec !== undefined && needsHealthCheck(oldSpec)
  return needsHealthCheck(spec) && !wasChecked ? withHealthPort(opened, draw) : opened
}

/** Allocates ports one by one; never the same port twice. */
class PortDraw {
  readonly #pool: PortPool
  readonly #name: string
  readonly #drawn = new Set<number>()

  constructor(pool: PortPool, name: string) {
    this.#pool = pool
    this.#name = name
  }

  any(what: string): number {
    const { nodePorts, below } = this.#pool
    const size = nodePorts.to - nodePorts.from + 1
    const range = { size, reserved: reservedOf(size, 32, 128), below }
    const number = freeNumber(range, (position) => this.#isTaken(nodePorts.from + position))
    if (number !== undefined) {
      this.#drawn.add(nodePorts.from + number)
      return nodePorts.from + number
    }
    throw internalError(`failed to allocate a ${what}: range is full`)
  }

  /** Allocates the port; returns the fault if it is unavailable. */
  faultOf(port: number): string | undefined {
    const { from, to } = this.#pool.nodePorts
    if (port < from || port > to)
      return `provided port is not in the valid range. The range of valid ports is ${from}-${to}`
    if (this.#isTaken(port)) return 'provided port is already allocated'
    this.#drawn.add(port)
    return undefined
  }

  wanted(port: number, index: number): void {
    const fault = this.faultOf(port)
    if (fault === undefined) return
    const error = invalid(`spec.ports[${index}].nodePort`, port, fault)
    throw invalidObject({ group: '', kind: 'Service' }, this.#name, [error])
  }

  #isTaken(port: number): boolean {
    return this.#drawn.has(port) || this.#pool.isTaken(String(port))
  }
}

/** Ports with the same number and different protocols share one node port. */
function withNewPorts(spec: JsonObject, draw: PortDraw): JsonObject {
  const ports = structsAt(spec, 'ports')
  const byPort = new Map<number, number>()
  const opened = ports.map((port, index) => {
    const [number, asked] = [integerAt(port, 'port'), integerAt(port, 'nodePort')]
    if (asked === 0 && !drawsNodePorts(spec)) return port
    const known = byPort.get(number)
    if (known !== undefined) {
      if (asked !== 0 && asked !== known) draw.wanted(asked, index)
      return asked === 0 ? withField(port, 'nodePort', known) : port
    }
    const wish = ports.find((other) => integerAt(other, 'port') === number && integerAt(other, 'nodePort') !== 0)
    const wanted = integerAt(wish, 'nodePort')
    if (wanted !== 0) draw.wanted(wanted, index)
    const nodePort = wanted === 0 ? draw.any('nodePort') : wanted
    byPort.set(number, nodePort)
    return withField(port, 'nodePort', nodePort)
  })
  return opened.every((port, index) => port === ports[index]) ? spec : withField(spec, 'ports', opened)
}

function withChangedPorts(spec: JsonObject, oldSpec: JsonObject, draw: PortDraw): JsonObject {
  const before = new Set(structsAt(oldSpec, 'ports').map((port) => integerAt(port, 'nodePort')))
  const given = new Set<number>()
  const pairs = new Set<string>()
  const ports = structsAt(spec, 'ports')
  const opened = ports.map((port, index) => {
    const asked = integerAt(port, 'nodePort')
    if (asked === 0 && !drawsNodePorts(spec)) return port
    if (asked !== 0 && !before.has(asked) && !given.has(asked)) draw.wanted(asked, index)
    const nodePort = asked === 0 ? draw.any('nodePort') : asked
    given.add(nodePort)
    const protocol = textAt(port, 'protocol')
    if (pairs.has(`${protocol}/${nodePort}`)) throw plainError(`duplicate nodePort: {${protocol} ${nodePort}}`)
    pairs.add(`${protocol}/${nodePort}`)
    return asked === 0 ? withField(port, 'nodePort', nodePort) : port
  })
  return opened.every((port, index) => port === ports[index]) ? spec : withField(spec, 'ports', opened)
}

function withHealthPort(spec: JsonObject, draw: PortDraw): JsonObject {
  const asked = integerAt(spec, 'healthCheckNodePort')
  if (asked === 0) return withField(spec, 'healthCheckNodePort', draw.any('HealthCheck NodePort 0'))
  const fault = draw.faultOf(asked)
  if (fault === undefined) return spec
  throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${fault}`)
}
