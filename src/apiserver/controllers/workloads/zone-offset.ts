// How far is a time zone's clock from UTC at a moment? By the zone database that JavaScript brings; minutes are remembered,
// because clocks are only ever changed between them.

/** Milliseconds to add to a moment in UTC for what the zone's clock shows. */
export type ZoneOffset = (utcMs: number) => number

const minuteMs = 60_000
/** So many minutes are remembered of each zone. */
const remembered = 1_024

export const utcOffset: ZoneOffset = () => 0

/** Throws RangeError for a zone that there is not. */
export function zoneOffset(name: string): ZoneOffset {
  if (name === '' || name === 'UTC') return utcOffset
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  const known = new Map<number, number>()
  return (utcMs) => {
    const minute = Math.floor(utcMs / minuteMs)
    const found = known.get(minute)
    if (found !== undefined) return found
    if (known.size >= remembered) known.clear()
    const offset = offsetShown(format, utcMs)
    known.set(minute, offset)
    return offset
  }
}

function offsetShown(format: Intl.DateTimeFormat, utcMs: number): number {
  const shown = format.formatToParts(utcMs).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(shown) ?? []
  const offset = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000
  return sign === '-' ? -offset : offset
}
