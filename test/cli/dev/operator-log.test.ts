import { describe, expect, it } from 'vitest'
import { lastErrorOf, metricsUrlOf } from '../../../src/cli/dev/operator-log.ts'

const serving = '{"level":"info","host":"127.0.0.1","port":4711,"msg":"serving health and metrics"}\n'
const failing = '{"level":"error","msg":"the turn failed"}\n'

describe('the address of the metrics', () => {
  it('is read from the line about serving', () => {
    expect(metricsUrlOf(`{"level":"info","msg":"starting"}\n${serving}`)).toBe('http://127.0.0.1:4711/metrics')
  })

  it.each(['', '{"level":"info","msg":"starting"}\n', serving.slice(0, 40)])('is unknown from %j', (log) => {
    expect(metricsUrlOf(log)).toBeUndefined()
  })
})

describe('the last error', () => {
  it.each([
    [
      'what the operator said when it could not begin',
      `${serving}konverge: cannot read it; mend it\n`,
      'konverge: cannot read it; mend it',
    ],
    [
      'the error that ended its Node',
      `${failing}file.js:1\n\nTypeError: no\n    at f\n\nNode.js v24\n`,
      'TypeError: no',
    ],
    ['what it logged last as an error', `${failing}${serving}`, 'the turn failed'],
    ['nothing when no line tells of one', serving, undefined],
  ])('is %s', (_, log, error) => {
    expect(lastErrorOf(log)).toBe(error)
  })
})
