// Logs and exports as metrics which kinds of one controller the API servers serve. A kind that is served at the start
// is not logged.
import type { Gauge, Instruments } from '../base/instrument.ts'
import { groupResourceOf } from '../object/resource.ts'
import type { HeldKind } from './controller-view.ts'
import type { Controller } from './definition.ts'
import { kindsNotInstalled } from './kinds-not-installed.ts'

export class KindsRecorder {
  readonly #controller: Controller
  readonly #instruments: Instruments
  readonly #served: Gauge
  /** Kinds that the log has reported as not installed. */
  readonly #missing = new Set<string>()

  constructor(controller: Controller, instruments: Instruments) {
    this.#controller = controller
    this.#instruments = instruments
    this.#served = instruments.metrics.gauge({
      name: 'controller_kind_served',
      help: '1 while the API server serves a kind of the controller, 0 while its CRD is not installed.',
      labels: ['controller', 'resource', 'optional'],
    })
  }

  /** Records the kinds now, and whenever one of them is installed or removed. */
  watch(kinds: readonly HeldKind[]): void {
    for (const kind of kinds) {
      this.#observe(kind)
      kind.informer.addServedHandler(() => this.#observe(kind))
    }
  }

  #observe({ resource, optional, informer: { isServed } }: HeldKind): void {
    const { log } = this.#instruments
    const { name } = this.#controller
    const kind = groupResourceOf(resource)
    const isNews = this.#missing.has(kind) === isServed
    this.#served.set({ controller: name, resource: kind, optional: String(optional) }, isServed ? 1 : 0)
    if (!isNews) return
    const fields = { controller: name, resource: kind, optional }
    if (isServed) {
      this.#missing.delete(kind)
      log.info(fields, `${kind} is installed`)
    } else {
      this.#missing.add(kind)
      if (optional) log.info(fields, `${kind} is not installed; it is optional, so the controller works without it`)
      else log.warn(fields, kindsNotInstalled([resource], this.#controller).message)
    }
  }
}
