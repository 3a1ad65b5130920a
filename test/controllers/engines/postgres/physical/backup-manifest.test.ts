// The backup manifest of PostgreSQL in a copy, and the error of a server that does not start on a copy.
import { describe, expect, it } from 'vitest'
import { copyFacts } from '../../../../../src/controllers/engines/postgres/physical/backup-manifest.ts'
import { wokenFailure } from '../../../../../src/controllers/engines/postgres/physical/woken-failure.ts'
import { wokenSettings } from '../../../../../src/controllers/engines/postgres/physical/woken-settings.ts'
import { sha256Of } from '../../../stores/contents.ts'

const range = { Timeline: 2, 'Start-LSN': '0/4000028', 'End-LSN': '0/4000100' }
const text = (changes: object = {}) =>
  JSON.stringify({
    'PostgreSQL-Backup-Manifest-Version': 1,
    Files: [{ Path: 'PG_VERSION' }, { Path: 'base/1/1' }],
    'WAL-Ranges': [range],
    ...changes,
  })

describe('the backup manifest of a copy', () => {
  it('names the WAL that recovers it', () => {
    expect(copyFacts(text())).toEqual({
      ...{ timeline: 2, startPosition: '0/4000028', endPosition: '0/4000100', files: 2 },
      manifestSha256: sha256Of(Buffer.from(text())),
    })
  })

  it.each([
    ['', 'nothing'],
    [text().slice(0, -1), 'a part of one'],
    ['[]', 'a list'],
    [text({ Files: {} }), 'no files'],
    [text({ 'WAL-Ranges': [] }), 'no log'],
    [text({ 'WAL-Ranges': [range, range] }), 'a log that changed its course'],
    [text({ 'WAL-Ranges': [{ Timeline: '2' }] }), 'a log of nowhere'],
  ])('%j is rejected: %s', (other) => {
    expect(copyFacts(other)).toBeUndefined()
  })
})

describe('a server that does not start on a copy', () => {
  it.each([
    [
      'x\n2026 FATAL:  could not locate required checkpoint record\nDETAIL: y',
      null,
      'RestoreFailed',
      'stop',
      /could not locate/,
    ],
    ['2026 PANIC:  could not write: No space left on device', 'SIGABRT', 'StorageFull', 'retry', /could not write/],
    ['', 'SIGKILL', 'RestoreFailed', 'retry', /it ended with SIGKILL/],
    ['LOG:  hello', null, 'RestoreFailed', 'stop', /without a word/],
  ] as const)('that logs %j and exits with %s is %s', (printed, killedBy, code, remedy, message) => {
    expect(wokenFailure(printed, killedBy)).toMatchObject({ code, remedy, message: expect.stringMatching(message) })
  })

  it('gets no option that its version does not know', () => {
    expect(wokenSettings(16, false)).not.toContain('event_triggers')
    expect(wokenSettings(17, false)).toContain("event_triggers = 'off'\n")
  })
})
