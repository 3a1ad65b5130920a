// Metrics of the conditions of a controller's resources. Invariant: the number of series has a bound that does not grow
// with the number of resources. Conditions are counted by reason.
// Only resources that need attention have series of their own, unless `perResource` is set.
import type { Gauge, Metrics } from '../base/instrument.ts'
import type { Condition } from '../object/condition.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyOf, parseKey } from '../object/ref.ts'

export interface ConditionMetricsOptions {
  /** Condition types that need attention while they are True, besides Degraded, Stalled and Paused. Default: none. */
  readonly abnormal?: readonly string[]
  /** Gives every resource its own series: one for each condition. Default false. */
  readonly perResource?: boolean
}

/** Limit of the resources of one controller that have their own series, without `perResource`. */
const mostShown = 1_000
/**
 * Limit of the combinations of type, status and reason of one controller. Reasons come from closed sets; a controller
 * with generated reasons shares one series.
 */
const mostReasons = 500
const otherReason = 'Other'
const alwaysAbnormal = ['Degraded', 'Stalled', 'Paused']

interface Counted {
  readonly type: string
  readonly status: string
  readonly reason: string
}

/** Series to which a resource contributes. */
interface ReportedConditions {
  readonly counted: readonly string[]
  /** Condition types with a series of the resource itself. */
  readonly shown: readonly string[]
}

export class ConditionMetrics {
  readonly #controller: string
  readonly #abnormal: ReadonlySet<string>
  readonly #perResource: boolean
  readonly #counts: Gauge
  readonly #own: Gauge
  readonly #resources = new Map<string, { readonly of: Counted; count: number }>()
  /** One entry per existing resource. */
  readonly #told = new Map<Key, ReportedConditions>()
  #shown = 0

  constructor(metrics: Metrics, controller: string, { abnormal = [], perResource = false }: ConditionMetricsOptions) {
    this.#controller = controller
    this.#abnormal = new Set([...alwaysAbnormal, ...abnormal])
    this.#perResource = perResource
    this.#counts = metrics.gauge({
      name: 'resource_conditions',
      help: 'Resources with a condition, by type, status and reason.',
      labels: ['controller', 'type', 'status', 'reason'],
    })
    this.#own = metrics.gauge({
      name: 'resource_condition',
      help: '1 while a condition of a resource that needs attention is True, 0 while it is False or Unknown.',
      labels: ['controller', 'namespace', 'name', 'type'],
    })
  }

  observe(object: LiveObject, conditions: readonly Condition[]): void {
    const key = keyOf(object)
    const before = this.#told.get(key)
    const counted = conditions.map((condition) => this.#seriesOf(condition))
    for (const series of counted) this.#add(series, 1)
    for (const series of before?.counted ?? []) this.#add(series, -1)
    const shown = this.#mayShow(key, conditions) ? conditions.map(({ type }) => type) : []
    for (const type of before?.shown ?? []) if (!shown.includes(type)) this.#own.remove(this.#ownLabels(key, type))
    for (const { type, status } of conditions) {
      if (shown.includes(type)) this.#own.set(this.#ownLabels(key, type), status === 'True' ? 1 : 0)
    }
    this.#shown += Number(shown.length > 0) - Number((before?.shown.length ?? 0) > 0)
    this.#told.set(key, { counted, shown })
  }

  /** Call when the resource is gone. */
  forget(key: Key): void {
    const told = this.#told.get(key)
    if (told === undefined) return
    for (const series of told.counted) this.#add(series, -1)
    for (const type of told.shown) this.#own.remove(this.#ownLabels(key, type))
    if (told.shown.length > 0) this.#shown--
    this.#told.delete(key)
  }

  #mayShow(key: Key, conditions: readonly Condition[]): boolean {
    if (this.#perResource) return true
    const isReady = conditions.find(({ type }) => type === 'Ready')?.status === 'True'
    const needsAttention =
      !isReady || conditions.some(({ type, status }) => status === 'True' && this.#abnormal.has(type))
    return needsAttention && (this.#shown < mostShown || (this.#told.get(key)?.shown.length ?? 0) > 0)
  }

  #seriesOf({ type, status, reason }: Condition): string {
    const series = seriesKey({ type, status, reason })
    if (this.#resources.has(series)) return series
    const isRoom = this.#resources.size < mostReasons
    const of = { type, status, reason: isRoom ? reason : otherReason }
    const counted = seriesKey(of)
    if (!this.#resources.has(counted)) this.#resources.set(counted, { of, count: 0 })
    return counted
  }

  #add(series: string, change: 1 | -1): void {
    const counted = this.#resources.get(series)
    if (counted === undefined) return
    counted.count += change
    const labels = { controller: this.#controller, ...counted.of }
    if (counted.count > 0) return this.#counts.set(labels, counted.count)
    this.#counts.remove(labels)
    this.#resources.delete(series)
  }

  #ownLabels(key: Key, type: string): Record<string, string> {
    const { namespace = '', name } = parseKey(key)
    return { controller: this.#controller, namespace, name, type }
  }
}

function seriesKey({ type, status, reason }: Counted): string {
  return `${type}/${status}/${reason}`
}
