import { describe, expect, it } from 'vitest'
import type { ResourceRow } from '../../../src/cli/dev/resource-table.ts'
import { tableHead, tableLine } from '../../../src/cli/dev/resource-table.ts'
import type { Output } from '../../../src/cli/dev/table-screen.ts'
import { TableScreen } from '../../../src/cli/dev/table-screen.ts'

const row = (resource: string, ready: number): ResourceRow => ({
  kind: 'kv',
  resource,
  detail: `${ready} of 3 replicas`,
  status: 'WaitingForReplicas',
  isReady: false,
  createdMs: 0,
})
const [first, second] = [row('kv shop/cart', 0), row('kv shop/sessions', 0)]
const grown = row('kv shop/cart', 1)
const line = (of: ResourceRow) => `${tableLine(of, 0)}\n`

/** Output that records the text of each write. */
function recorder(size: Omit<Output, 'write'>) {
  const writes: string[] = []
  const screen = new TableScreen({ ...size, write: (text) => writes.push(text) })
  return { screen, writes }
}

describe('on a terminal, the table', () => {
  const terminal = { isTTY: true, columns: 100, rows: 40 }

  it('is redrawn in place', () => {
    const { screen, writes } = recorder(terminal)
    screen.draw([first, second], 0)
    screen.draw([grown, second], 0)
    expect(writes[0]?.startsWith(tableHead)).toBe(true)
    expect(writes[1]?.startsWith(`\x1b[3A${tableHead}`)).toBe(true)
    expect(writes[1]).toContain(tableLine(grown, 0))
    expect(writes.every((text) => text.endsWith('\n\x1b[J'))).toBe(true)
  })

  it('is redrawn in place also if the terminal does not know its size', () => {
    const { screen, writes } = recorder({ isTTY: true, columns: 0, rows: 0 })
    screen.draw([first], 0)
    screen.draw([first], 0)
    expect(writes[0]).toContain(tableLine(first, 0))
    expect(writes[1]).toContain('\x1b[2A')
  })

  it('is cut at the edge, because a wrapped line would take two rows', () => {
    const { screen, writes } = recorder({ ...terminal, columns: 30 })
    screen.draw([first], 0)
    expect(writes[0]?.split('\n')[1]).toBe(`${tableLine(first, 0).slice(0, 29)}\x1b[K`)
  })

  it('is not redrawn if it does not fit: lines are added instead', () => {
    const { screen, writes } = recorder({ ...terminal, rows: 3 })
    screen.draw([first, second], 0)
    screen.draw([grown, second], 0)
    expect(writes).toEqual([`${tableHead}\n${line(first)}${line(second)}`, line(grown)])
  })

  it('is kept when lines are added below it', () => {
    const { screen, writes } = recorder(terminal)
    screen.draw([first, second], 0)
    screen.add([grown, second], 0)
    screen.draw([grown, second], 0)
    expect(writes[1]).toBe(line(grown))
    expect(writes[2]?.startsWith(tableHead)).toBe(true)
  })
})

describe('anywhere else, the table', () => {
  it('has its head once, then a line for each changed resource', () => {
    const { screen, writes } = recorder({})
    screen.draw([first, second], 0)
    screen.draw([first, second], 5_000)
    screen.draw([grown, second], 0)
    expect(writes.join('')).toBe(`${tableHead}\n${line(first)}${line(second)}${line(grown)}`)
  })
})
