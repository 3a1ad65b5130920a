// Log port over pino: one JSON object per line. A line has the time in milliseconds since the epoch, the level as a
// word, and the given fields (namespace, name, generation, causes, …), without secrets.
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'
import type { Clock } from '../base/clock.ts'
import type { Log, LogFields } from '../base/instrument.ts'
import { lineText } from '../base/terminal-text.ts'
import { redact } from './redact.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** Levels of the log, from the lowest; `silent` writes nothing. */
export type LogLevel = (typeof logLevels)[number]

export interface LoggerOptions {
  readonly clock: Clock
  /** Lowest level to write; lower lines cost almost nothing. Default: `info`. */
  readonly level?: LogLevel | undefined
  /** Stream for the lines, e.g. `process.stdout`, or a file descriptor, which is written synchronously. */
  readonly destination: DestinationStream | number
}

/**
 * Returns a log that writes to `destination`.
 *
 * @example
 * const log = createLogger({ clock: systemClock, destination: 1 })
 * log.with({ controller: 'databases' }).info({ namespace: 'shop', name: 'orders' }, 'applying')
 */
export function createLogger({ clock, level = 'info', destination }: LoggerOptions): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":${clock.now()}`,
    formatters: { level: (label: string) => ({ level: label }) },
    // `redact` serializes errors, without their secrets.
    serializers: { err: (err: unknown) => err },
  }
  const stream = typeof destination === 'number' ? pino.destination({ dest: destination, sync: true }) : destination
  return new Logger(pino(options, stream))
}

/**
 * Receiver of log lines. A pino logger implements it; other loggers need a small adapter.
 *
 * @example const log: LogSink = pino()
 */
export interface LogSink {
  debug(fields: LogFields, message: string): unknown
  info(fields: LogFields, message: string): unknown
  warn(fields: LogFields, message: string): unknown
  error(fields: LogFields, message: string): unknown
}

/** Returns a log that passes redacted lines of at least `level` to `sink`. Default: `info`. */
export function logOver(sink: LogSink, level: LogLevel = 'info'): Log {
  return new HandingLog({ sink, least: logLevels.indexOf(level), fields: {} })
}

interface HandingLogOptions {
  readonly sink: LogSink
  /** Lowest level, as an index of `logLevels`. */
  readonly least: number
  /** Redacted fields of every line. */
  readonly fields: LogFields
}

class HandingLog implements Log {
  readonly #options: HandingLogOptions

  constructor(options: HandingLogOptions) {
    this.#options = options
  }

  debug(fields: LogFields, message: string): void {
    this.#write('debug', fields, message)
  }

  info(fields: LogFields, message: string): void {
    this.#write('info', fields, message)
  }

  warn(fields: LogFields, message: string): void {
    this.#write('warn', fields, message)
  }

  error(fields: LogFields, message: string): void {
    this.#write('error', fields, message)
  }

  with(fields: LogFields): Log {
    const all = { ...this.#options.fields, ...redactFields(fields) }
    return new HandingLog({ ...this.#options, fields: all })
  }

  #write(level: Exclude<LogLevel, 'silent'>, fields: LogFields, message: string): void {
    const { sink, least, fields: own } = this.#options
    if (logLevels.indexOf(level) >= least) sink[level]({ ...own, ...redactFields(fields) }, lineText(message))
  }
}

class Logger implements Log {
  readonly #pino: PinoLogger

  constructor(logger: PinoLogger) {
    this.#pino = logger
  }

  debug(fields: LogFields, message: string): void {
    this.#write('debug', fields, message)
  }

  info(fields: LogFields, message: string): void {
    this.#write('info', fields, message)
  }

  warn(fields: LogFields, message: string): void {
    this.#write('warn', fields, message)
  }

  error(fields: LogFields, message: string): void {
    this.#write('error', fields, message)
  }

  with(fields: LogFields): Log {
    return new Logger(this.#pino.child(redactFields(fields)))
  }

  #write(level: Exclude<LogLevel, 'silent'>, fields: LogFields, message: string): void {
    if (this.#pino.isLevelEnabled(level)) this.#pino[level](redactFields(fields), lineText(message))
  }
}

/** Sound: `redact` returns a plain object for a plain object. */
function redactFields(fields: LogFields): Record<string, unknown> {
  return redact(fields) as Record<string, unknown>
}
