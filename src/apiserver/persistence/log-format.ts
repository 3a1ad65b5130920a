// File format of the object log: one record per line, as a checksum, a blank and JSON.
// A line is complete with its newline.
// A process that dies within a write leaves at most one incomplete line, of a write that was never acknowledged.
import { crc32 } from 'node:zlib'
import { isJsonObject, type JsonObject, own } from '../../base/json.ts'
import { parseWireJson, WireJsonError, wireJson } from '../../base/wire-json.ts'
import type { LogEntry, Place } from '../object-log.ts'

/** One committed write, or the base of a rewritten file: earlier history is compacted. */
export type LogRecord =
  | { readonly kind: LogEntry['kind']; readonly revision: number; readonly place: Place; readonly object: JsonObject }
  | { readonly kind: 'base'; readonly revision: number }

export interface ScannedLog {
  /** All valid records before the first corrupt one. */
  readonly records: readonly LogRecord[]
  /** Size of these records in bytes; the file is truncated to it. */
  readonly wholeBytes: number
  /** Byte offset of the first complete but invalid line, or undefined. */
  readonly corruptAt: number | undefined
  /** All valid records, including those after a corrupt one; a repair keeps them. */
  readonly salvaged: readonly LogRecord[]
}

export function recordLine(record: LogRecord): string {
  const json =
    record.kind === 'base'
      ? wireJson({ kind: record.kind, revision: record.revision })
      : wireJson({ kind: record.kind, revision: record.revision, place: { ...record.place }, object: record.object })
  return `${checksum(json)} ${json}\n`
}

/** Parses a file. A last line without newline is neither valid nor corrupt: it was never acknowledged. */
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

/** Returns the record; undefined for a foreign, changed or out-of-order line. */
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
