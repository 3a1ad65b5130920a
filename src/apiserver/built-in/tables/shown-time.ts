// Text form of durations and ages in `kubectl get`; longer durations are coarser.
// Source: k8s.io/apimachinery/pkg/util/duration (HumanDuration), kubernetes/pkg/printers/internalversion/printers.go.
import type { Json } from '../../../base/json.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** @example humanDuration(90_061_000) // 25h */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / second)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(durationMs / minute)
  if (minutes < 10) return twoParts(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(durationMs / hour)
  if (hours < 8) return twoParts(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (hours < 24 * 8) return twoParts(days, 'd', hours % 24, 'h')
  if (hours < 24 * 365 * 2) return `${days}d`
  const years = Math.trunc(days / 365)
  return hours < 24 * 365 * 8 ? twoParts(years, 'y', days % 365, 'd') : `${years}y`
}

/** Returns the age of a timestamp of an object. */
export function shownAge(timestamp: Json | undefined, nowMs: number): string {
  return typeof timestamp === 'string' ? humanDuration(nowMs - Date.parse(timestamp)) : '<unknown>'
}

function twoParts(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`
}
