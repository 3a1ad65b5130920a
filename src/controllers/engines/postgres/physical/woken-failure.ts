// Why did a server not start on a copy of its files? By the first of its words that says so. Pure.
import { LogicalError } from '../../logical-error.ts'

const longest = 300

/** `printed`: its log. `killedBy`: the signal that it died of, if it did. */
export function wokenFailure(printed: string, killedBy: string | null): LogicalError {
  const said = /(?:FATAL|PANIC): {2}(.*)/.exec(printed)?.[1]?.slice(0, longest)
  const isFull = /No space left on device|Disk quota exceeded/.test(printed)
  const wasKilled = said === undefined && killedBy !== null
  const why = said ?? (killedBy === null ? 'it ended without a word' : `it ended with ${killedBy}`)
  return new LogicalError({
    code: isFull ? 'StorageFull' : 'RestoreFailed',
    message: `the server does not start on what was saved: ${why}`,
    remedy: isFull || wasKilled ? 'retry' : 'stop',
  })
}
