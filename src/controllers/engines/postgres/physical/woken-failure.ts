// Error of a server that does not start on a copy of its files, from the first FATAL or PANIC line of its log. Pure.
import { LogicalError } from '../../logical-error.ts'

const longest = 300

/** `printed`: the server's log. `killedBy`: the signal that killed the server, if one did. */
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
