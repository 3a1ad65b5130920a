import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { CodedError } from '../../src/base/errors.ts'
import { createLogger, type LogLevel, type LogSink, logOver } from '../../src/telemetry/logger.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'

function newLog(level?: LogLevel) {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLogger({ clock: new SimClock(1_000), destination, ...(level === undefined ? {} : { level }) })
  return { lines, log, entries: () => lines.map((line) => JSON.parse(line)) }
}

describe('createLogger', () => {
  it('writes one JSON line with level, time, fields and message', () => {
    const { lines, log } = newLog()
    log.info({ namespace: 'shop', name: 'orders', generation: 3, cause: 'self' }, 'applying')
    expect(lines).toEqual([
      '{"level":"info","time":1000,"namespace":"shop","name":"orders","generation":3,"cause":"self","msg":"applying"}\n',
    ])
  })

  it.each([
    { level: 'debug', written: ['debug', 'info', 'warn', 'error'] },
    { level: 'info', written: ['info', 'warn', 'error'] },
    { level: 'error', written: ['error'] },
    { level: 'silent', written: [] },
  ] as const)('writes $written at level $level', ({ level, written }) => {
    const { log, entries } = newLog(level)
    log.debug({}, 'a')
    log.info({}, 'a')
    log.warn({}, 'a')
    log.error({}, 'a')
    expect(entries().map((entry) => entry.level)).toEqual(written)
  })

  it('adds the fields of `with` to every line of the child only', () => {
    const { log, entries } = newLog()
    const below = log.with({ controller: 'databases', token: 'abc' }).with({ shard: 1 })
    below.warn({ name: 'a' }, 'x')
    log.warn({ name: 'b' }, 'y')
    expect(entries()).toMatchObject([
      { controller: 'databases', token: '[redacted]', shard: 1, name: 'a' },
      { name: 'b', msg: 'y' },
    ])
    expect(entries()[1]).not.toHaveProperty('controller')
  })

  it('writes name, message, code, stack and cause of an error, and no other properties', () => {
    const { log, entries, lines } = newLog()
    const cause = Object.assign(new Error('connection refused'), { parameters: ['hunter2'] })
    log.error({ err: new CodedError({ code: 'Broken', message: 'it broke', remedy: 'retry', cause }) }, 'no')
    expect(entries()[0].err).toMatchObject({
      name: 'CodedError',
      message: 'it broke',
      code: 'Broken',
      cause: { message: 'connection refused' },
    })
    expect(entries()[0].err.stack).toContain('logger.test.ts')
    expect(lines.join()).not.toContain('hunter2')
  })
})

describe('logOver', () => {
  const sinkOf = (lines: unknown[]): LogSink => {
    const at = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message])
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  }

  it('passes lines to the program’s logger, without secrets and control characters', () => {
    const lines: unknown[] = []
    const log = logOver(sinkOf(lines)).with({ controller: 'databases', token: 'abc' })
    log.warn({ name: 'a', data: { password: 'hunter2hunter2' } }, 'x\u009b')
    const fields = { controller: 'databases', token: '[redacted]', name: 'a', data: '[redacted]' }
    expect(lines).toEqual([['warn', fields, 'x\\u009b']])
  })

  it.each([
    { level: 'debug', written: ['debug', 'info', 'warn', 'error'] },
    { level: undefined, written: ['info', 'warn', 'error'] },
    { level: 'silent', written: [] },
  ] as const)('hands on $written at level $level', ({ level, written }) => {
    const lines: unknown[][] = []
    const log = logOver(sinkOf(lines), level)
    for (const at of ['debug', 'info', 'warn', 'error'] as const) log[at]({}, 'a')
    expect(lines.map(([at]) => at)).toEqual(written)
  })

  it('accepts a logger of pino', () => {
    const lines: string[] = []
    const program = pino({ base: { app: 'shop' }, timestamp: false }, { write: (line) => void lines.push(line) })
    logOver(program).error(
      { name: 'a', err: new CodedError({ code: 'Gone', message: 'gone', remedy: 'stop' }) },
      'failed',
    )
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      app: 'shop',
      name: 'a',
      err: { message: 'gone', code: 'Gone' },
      msg: 'failed',
    })
  })
})
