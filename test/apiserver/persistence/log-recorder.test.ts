import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ObjectLog } from '../../../src/apiserver/object-log.ts'
import {
  type OpenLogOptions,
  openPersistedLog,
  type PersistedLog,
} from '../../../src/apiserver/persistence/log-recorder.ts'
import { isJsonObject } from '../../../src/base/json.ts'

let folder: string
let open: PersistedLog[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konverge-log-'))
  open = []
})

afterEach(() => {
  for (const { close } of open) close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a persisted log', () => {
  it('contains all commits at the same revisions after a restart', () => {
    const first = start()
    write(first.log, 'a', 1)
    write(first.log, 'b', 1)
    write(first.log, 'a', 2)
    remove(first.log, 'b')
    first.close()
    const { log } = start()
    expect(log.revision).toBe(5)
    expect(log.list('toys').map(({ text }) => text)).toEqual(['{"name":"a","size":2,"at":"4"}'])
    expect(
      log
        .at(3)
        ?.list('toys')
        .map(({ place }) => place.name),
    ).toEqual(['a', 'b'])
  })

  it('truncates a record that was incomplete when the process died', () => {
    const first = start()
    write(first.log, 'a', 1)
    write(first.log, 'b', 1)
    first.close()
    truncateSync(file(), readFileSync(file()).length - 7)
    const second = start()
    expect(names(second.log)).toEqual(['a'])
    write(second.log, 'c', 1)
    second.close()
    expect(names(start().log)).toEqual(['a', 'c'])
  })

  it('loses no complete record, wherever the file ends', () => {
    const first = start()
    for (const name of ['a', 'b', 'c']) write(first.log, name, 1)
    first.close()
    const whole = readFileSync(file())
    for (let length = 0; length <= whole.length; length++) {
      writeFileSync(file(), whole.subarray(0, length))
      const again = start()
      expect(names(again.log)).toHaveLength(whole.subarray(0, length).toString().split('\n').length - 1)
      again.close()
    }
  })

  it('rejects a changed byte with its offset, and keeps every valid record on repair', () => {
    const first = start()
    for (const name of ['a', 'b', 'c']) write(first.log, name, 1)
    first.close()
    const bytes = readFileSync(file())
    const second = bytes.indexOf(0x0a) + 1
    bytes[second + 20] = 0x21
    writeFileSync(file(), bytes)
    expect(() => start()).toThrow(`is corrupt at byte ${second}; run again with --repair to keep its 2 whole records`)
    const repaired = start({ repairs: true })
    expect(names(repaired.log)).toEqual(['a', 'c'])
    expect(readFileSync(`${file()}.corrupt`)).toEqual(bytes)
    repaired.close()
    expect(names(start().log)).toEqual(['a', 'c'])
  })

  it('rejects a file that is no log', () => {
    start().close()
    appendFileSync(file(), 'hello\n')
    expect(() => start()).toThrow('is corrupt at byte 0')
  })

  it('admits one process at a time', () => {
    const { close } = start()
    expect(() => start()).toThrow(`is in use by process ${process.pid}; end it, or name another folder`)
    close()
    start()
  })

  it('admits the next process after one has ended, even if another has its pid now', () => {
    start().close()
    writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: process.pid, startMark: 'before' }))
    start()
  })

  it('rejects a write on a full disk without a trace, and accepts later writes that fit', () => {
    const { stdout, stderr } = spawnSync('sh', [
      '-c',
      'ulimit -f 8; exec "$0" --input-type=module -e "$1"',
      process.execPath,
      crowded(),
    ])
    expect(String(stderr)).toBe('')
    const { messages, revision } = JSON.parse(String(stdout))
    const message = `Internal error occurred: nothing was written, because ${file()} takes no more: EFBIG: file too large, write`
    expect(messages).toEqual([message])
    expect(revision).toBe(3)
    expect(names(start().log)).toEqual(['small', 'smaller'])
  })

  it('rewrites a mostly superseded file and drops the history', () => {
    const first = start()
    for (let size = 0; size < 10_010; size++) write(first.log, 'a', size)
    first.close()
    const before = readFileSync(file()).length
    const second = start()
    expect(readFileSync(file()).length).toBeLessThan(before / 100)
    second.close()
    const { log } = start()
    expect([log.revision, log.compactedRevision]).toEqual([10_011, 10_011])
    expect(names(log)).toEqual(['a'])
  })

  it('rewrites the file after a compaction that supersedes most of it, and appends to it', () => {
    const { log, close } = start()
    for (let size = 0; size < 10_100; size++) write(log, 'a', size)
    const before = readFileSync(file()).length
    log.compact(log.revision)
    expect(readFileSync(file()).length).toBeLessThan(before / 100)
    write(log, 'b', 1)
    close()
    const again = start()
    expect(names(again.log)).toEqual(['a', 'b'])
    expect(again.log.revision).toBe(log.revision)
  })
})

/** Returns a program with a limited file size. */
function crowded(): string {
  const recorder = new URL('../../../src/apiserver/persistence/log-recorder.ts', import.meta.url).href
  return `
    import { openPersistedLog } from ${JSON.stringify(recorder)}
    const { log, close } = openPersistedLog({ folder: ${JSON.stringify(folder)} })
    const messages = []
    for (const [name, size] of [['small', 10], ['large', 20_000], ['smaller', 5]])
      try {
        log.commit({ shelf: 'toys', namespace: 'box', name }, 'created', () => ({ name, text: 'x'.repeat(size) }))
      } catch (thrown) {
        messages.push(thrown.message)
      }
    close()
    console.log(JSON.stringify({ messages, revision: log.revision }))`
}

function start(options: Partial<OpenLogOptions> = {}): PersistedLog {
  const persisted = openPersistedLog({ folder, ...options })
  open.push(persisted)
  return persisted
}

function file(): string {
  return join(folder, 'objects.log')
}

function write(log: ObjectLog, name: string, size: number): void {
  const place = { shelf: 'toys', namespace: 'box', name }
  log.commit(place, log.get(place) === undefined ? 'created' : 'changed', (at) => ({ name, size, at }))
}

function remove(log: ObjectLog, name: string): void {
  log.commit({ shelf: 'toys', namespace: 'box', name }, 'deleted', (at) => ({ name, at }))
}

function names(log: ObjectLog): unknown[] {
  return log.list('toys').map(({ object }) => (isJsonObject(object) ? object['name'] : undefined))
}
