import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { readLog } from '../../src/local-node/log-loader.ts'
import type { LogOptions } from '../../src/local-node/log-query.ts'
import { LogRecorder } from '../../src/local-node/log-recorder.ts'
import { lastLines } from '../../src/local-node/log-view.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konverge-log-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const everything: LogOptions = {
  follow: false,
  previous: false,
  timestamps: false,
  tailLines: undefined,
  limitBytes: undefined,
  since: undefined,
}

async function written(chunks: readonly string[], limitBytes = 1_000_000): Promise<string> {
  const path = join(folder, 'log')
  const recorder = new LogRecorder({ clock: new SimClock(), path, limitBytes })
  await recorder.open()
  const stream = new PassThrough()
  const recorded = recorder.record('stdout', stream)
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
  await recorded
  await recorder.close()
  return path
}

async function read(path: string, options: Partial<LogOptions> = {}): Promise<string> {
  const source = { clock: systemClock, path, isLive: () => false }
  const chunks = []
  for await (const chunk of readLog(source, { ...everything, ...options }, AbortSignal.timeout(120_000)))
    chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

describe('the log of a container', () => {
  it('is read as it was written, in whatever chunks it arrived', async () => {
    expect(await read(await written(['on', 'e\ntwo\nth', 'ree\n\n', 'half']))).toBe('one\ntwo\nthree\n\nhalf\n')
  })

  it('keeps a line that is longer than one part', async () => {
    const long = 'x'.repeat(50_000)
    expect(await read(await written([`${long}`, `${long}\nnext\n`]))).toBe(`${long}${long}\nnext\n`)
  })

  it('shows the last lines, up to a number of bytes, with timestamps', async () => {
    const path = await written(['a\nb\nc\n'])
    expect(await read(path, { tailLines: 2 })).toBe('b\nc\n')
    expect(await read(path, { tailLines: 0 })).toBe('')
    expect(await read(path, { limitBytes: 3 })).toBe('a\nb')
    expect(await read(path, { timestamps: true, tailLines: 1 })).toBe('2026-01-01T00:00:00.000000000Z c\n')
    expect(await read(path, { since: '2026-01-01T00:00:00.000000001Z' })).toBe('')
  })

  it('is bounded: beyond a full file and its predecessor, output is lost', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}\n`)
    // Each line has its own timestamp, so each write is one line.
    const shown = await read(await written(lines, 500))
    expect(shown.endsWith('line 99\n')).toBe(true)
    expect(shown.length).toBeLessThan(1_000)
  })

  it('is followed across a rotation to the end of the run', async () => {
    const path = join(folder, 'log')
    const recorder = new LogRecorder({ clock: systemClock, path, limitBytes: 300 })
    await recorder.open()
    const stream = new PassThrough()
    let isLive = true
    const recorded = recorder.record('stdout', stream).then(() => {
      isLive = false
    })
    const source = { clock: systemClock, path, isLive: () => isLive }
    const seen: string[] = []
    stream.write('line 0\n')
    for await (const chunk of readLog(source, { ...everything, follow: true }, AbortSignal.timeout(120_000))) {
      seen.push(chunk.toString('utf8'))
      // Written only after the previous line was read, so that every rotation happens during a read.
      if (seen.length < 30) stream.write(`line ${seen.length}\n`)
      else stream.end()
    }
    await recorded
    await recorder.close()
    expect(seen).toHaveLength(30)
  })

  it('counts a line with several parts as one', () => {
    const lines = ['t stdout F a', 't stdout P b', 't stdout F b', 't stdout P c', 't stdout P c']
    expect(lastLines(lines, 1)).toEqual(lines.slice(3))
    expect(lastLines(lines, 2)).toEqual(lines.slice(1))
    expect(lastLines(lines, 0)).toEqual([])
    expect(lastLines(lines, 9)).toEqual(lines)
  })
})
