// Metrics of the cache. `selection` distinguishes the informers of one resource, whose number is small and fixed by the
// controllers.
import type { Metrics } from '../base/instrument.ts'

export interface CacheSeries {
  readonly resource: string
  readonly selection: string
}

export interface CacheMetrics {
  frame(type: string): void
  restart(reason: string): void
  handlerError(): void
  content(objects: number, resourceVersion: string): void
  /** Call when the informer is gone: removes the gauges that only it could update. */
  close(): void
}

export function cacheMetrics(metrics: Metrics, { resource, selection }: CacheSeries): CacheMetrics {
  const series = { resource, selection }
  const labels = ['resource', 'selection']
  const events = metrics.counter({
    name: 'watch_events_total',
    help: 'Events received on watch streams, by resource and event type.',
    labels: ['resource', 'type'],
  })
  const restarts = metrics.counter({
    name: 'watch_restarts_total',
    help: 'Ended watch streams and failed lists, by resource and reason.',
    labels: ['resource', 'reason'],
  })
  const errors = metrics.counter({
    name: 'watch_handler_errors_total',
    help: 'Errors thrown by handlers, index functions and transforms of a cache.',
    labels: ['resource'],
  })
  const objects = metrics.gauge({ name: 'store_objects', help: 'Objects in the cache.', labels })
  const version = metrics.gauge({
    name: 'store_resource_version',
    help: 'Newest resourceVersion in the cache.',
    labels,
  })
  return {
    frame: (type) => events.add({ resource, type }),
    restart: (reason) => restarts.add({ resource, reason }),
    handlerError: () => errors.add({ resource }),
    content: (count, resourceVersion) => {
      objects.set(series, count)
      const number = Number(resourceVersion)
      if (!Number.isNaN(number)) version.set(series, number)
    },
    close: () => {
      objects.remove(series)
      version.remove(series)
    },
  }
}
