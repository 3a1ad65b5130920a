// Line of a container's log file: `<time> <stream> <F|P> <text>`, the format of the Container Runtime Interface, so
// that its readers work here. A line longer than 16 KiB has several parts; the last one has the tag F.

export type LogStream = 'stdout' | 'stderr'

export interface LogLine {
  readonly timestamp: string
  readonly stream: LogStream
  readonly isWhole: boolean
  readonly text: string
}

export const longestLineBytes = 16_384

export function logLine({ timestamp, stream, isWhole, text }: LogLine): string {
  return `${timestamp} ${stream} ${isWhole ? 'F' : 'P'} ${text}\n`
}

/** Parses a line; undefined if it is invalid, e.g. truncated by a kill. */
export function parseLogLine(line: string): LogLine | undefined {
  const [timestamp = '', stream, tag] = line.split(' ', 3)
  if ((stream !== 'stdout' && stream !== 'stderr') || (tag !== 'F' && tag !== 'P')) return undefined
  return { timestamp, stream, isWhole: tag === 'F', text: line.slice(timestamp.length + stream.length + 4) }
}

/** Formats a time as RFC 3339 with nine decimals; the clock has milliseconds. */
export function logTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000000Z')
}
