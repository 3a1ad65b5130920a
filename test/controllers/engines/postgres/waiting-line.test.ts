import { expect, it } from 'vitest'
import { WaitingLine } from '../../../../src/controllers/engines/postgres/waiting-line.ts'
import { SimClock } from '../../../../src/testing/sim-clock.ts'

const signal = new AbortController().signal

function setUp() {
  const clock = new SimClock()
  const line = new WaitingLine<string, string>({ clock, limitMs: 30_000, tooLong: () => new Error('too long') })
  const told: string[] = []
  const stand = (ask: string, until = signal) => {
    line.wait(ask, until).then(
      (place) => told.push(`${ask} has ${place}`),
      (reason: Error) => told.push(`${ask}: ${reason.message}`),
    )
  }
  return { clock, line, told, stand }
}

it('a queue serves in the order of arrival, and skips callers that no free place suits', async () => {
  const { clock, line, told, stand } = setUp()
  for (const ask of ['a', 'b', 'c', 'a2']) stand(ask)
  const free = ['c', 'a']
  line.serve((ask) => {
    const at = free.findIndex((place) => ask.startsWith(place))
    return at < 0 ? undefined : free.splice(at, 1)[0]
  })
  await clock.advance(0)
  expect(told).toEqual(['a has a', 'c has c'])
  expect(line.isEmpty).toBe(false)
  line.serve((ask) => ask)
  await clock.advance(0)
  expect(told.slice(2)).toEqual(['b has b', 'a2 has a2'])
  expect(line.isEmpty).toBe(true)
})

it('a queue drops callers that time out or give up, and all when it closes', async () => {
  const { clock, line, told, stand } = setUp()
  const giving = new AbortController()
  stand('old')
  await clock.advance(20_000)
  stand('restless', giving.signal)
  stand('young')
  giving.abort(new Error('gives up'))
  await clock.advance(10_000)
  expect(told).toEqual(['restless: gives up', 'old: too long'])
  stand('late', giving.signal)
  line.close(new Error('closed'))
  await clock.advance(60_000)
  expect(told.slice(2)).toEqual(['late: gives up', 'young: closed'])
  expect(line.isEmpty).toBe(true)
})
