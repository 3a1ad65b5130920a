// How is the log written down? One line a record: a checksum, a blank, JSON. A line is whole when its newline is there; so a process
// that dies in the middle of a write leaves at most one line that is not, and nobody was told of that write.
import { crc32 } from 'node:zlib'
import { isJsonObject, type JsonObject, own } from '../../base/json.ts'
import { parseWireJson, WireJsonError, wireJson } from '../../base/wire-json.ts'
import type { LogEntry, Place } from '../object-log.ts'

/** One committed write, or where a rewritten file begins: what was before is compacted away. */
export type LogRecord =
  | { readonly kind: LogEntry['kind']; readonly revision: number; readonly place: Place; readonly object: JsonObject }
  | { readonly kind: 'base'; readonly revision: number }

export interface ScannedLog {
  /** All whole records before the first fault. */
  readonly records: readonly LogRecord[]
  /** Bytes of the whole records: what to cut the file to. */
  readonly wholeBytes: number
  /** Where the first record stands that is whole by its newline and yet no record; undefined if there is none. */
  readonly corruptAt: number | undefined
  /** All whole records, those after a fault included: what a repair keeps. */
  readonly salvaged: readonly LogRecord[]
}

export function recordLine(record: LogRecord): string {
  const json =
    record.kind === 'base'
      ? wireJson({ kind: record.kind, revision: record.revision })
      : wireJson({ kind: record.kind, revision: record.revision, place: { ...record.place }, object: record.object })
  return `${checksum(json)} ${json}\n`
}

/** Reads a file's bytes. A last line without its newline is neither whole nor corrupt: it was never acknowledged. */
export function scanLog(bytes: Buffer): ScannedLog {
  const records: LogRecord[] = []
  const salvaged: LogRecord[] = []
  let wholeBytes = 0
  let corruptAt: number | undefined
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start)
    if (end < 0) break
    const record = recordOf(bytes.toString('utf8', start, end), salvaged.at(-1)?.revision ?? 0)
    if (record === undefined) corruptAt ??= start
    else {
      salvaged.push(record)
      if (corruptAt === undefined) {
        records.push(record)
        wholeBytes = end + 1
      }
    }
    start = end + 1
  }
  return { records, wholeBytes, corruptAt, salvaged }
}

/** Undefined for a line that was not written by us, was changed since, or stands out of order. */
function recordOf(line: string, previousRevision: number): LogRecord | undefined {
  const sum = line.slice(0, 8)
  const json = line.slice(9)
  if (line.charAt(8) !== ' ' || sum !== checksum(json)) return undefined
  const value = parsed(json)
  if (!isJsonObject(value)) return undefined
  const { kind, revision } = value
  if (typeof revision !== 'number' || revision <= previousRevision - (kind === 'base' ? 1 : 0)) return undefined
  if (kind === 'base') return { kind, revision }
  const place = own(value, 'place')
  const object = own(value, 'object')
  if (kind !== 'created' && kind !== 'changed' && kind !== 'deleted') return undefined
  if (!isJsonObject(place) || !isJsonObject(object)) return undefined
  const { shelf, namespace, name } = place
  if (typeof shelf !== 'string' || typeof namespace !== 'string' || typeof name !== 'string') return undefined
  return { kind, revision, place: { shelf, namespace, name }, object }
}

function parsed(json: string): unknown {
  try {
    return parseWireJson(json).value
  } catch (thrown) {
    if (thrown instanceof WireJsonError) return undefined
    throw thrown
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
