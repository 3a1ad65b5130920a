// Text form of an age in a table cell. Source: k8s.io/apimachinery/pkg/util/duration.HumanDuration.

const minuteSeconds = 60
const hourSeconds = 3_600
const dayHours = 24
const yearHours = 365 * dayHours

/**
 * Returns `5s`, `3m20s`, `5h2m`, `47h`, `3d4h`, `2y`. Up to a second in the future counts as now, because clocks
 * differ.
 */
export function ageText(ageMs: number): string {
  const seconds = Math.trunc(ageMs / 1_000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 2 * minuteSeconds) return `${seconds}s`
  const minutes = Math.trunc(seconds / minuteSeconds)
  if (minutes < 10) return twoUnits(minutes, 'm', seconds % minuteSeconds, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(seconds / hourSeconds)
  if (hours < 8) return twoUnits(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / dayHours)
  if (hours < 8 * dayHours) return twoUnits(days, 'd', hours % dayHours, 'h')
  if (hours < 2 * yearHours) return `${days}d`
  const years = Math.trunc(hours / yearHours)
  return hours < 8 * yearHours ? twoUnits(years, 'y', days % 365, 'd') : `${years}y`
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`
}
