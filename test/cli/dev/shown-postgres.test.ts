// PostgreSQL version of the samples: one that can be backed up, or a message that names the missing tool.
import { describe, expect, it } from 'vitest'
import { shownPostgres } from '../../../src/cli/dev/shown-postgres.ts'

describe('the PostgreSQL of the samples', () => {
  it.each([
    ['the newest, where that can be saved', [15, 18], [18], '18'],
    ['an older one, where only that can be saved', [15, 18], [15], '15'],
    ['one that newer tools save', [15], [17], '15'],
    ['one that a Database can ask for', [13, 16, 19], [19], '16'],
  ])('is %s', (_, servers, tools, version) => {
    expect(shownPostgres(servers, tools)).toEqual({ version })
  })

  it.each([
    ['there are no tools', [15, 18], []],
    ['the tools are older than every server', [18], [15]],
    ['there is no server either', [], []],
  ])('is the newest, with a message that says what to install, where %s', (_, servers, tools) => {
    expect(shownPostgres(servers, tools)).toEqual({
      version: '18',
      whyNoBackup:
        'this machine has no pg_dump of PostgreSQL 18 or newer; install one (Debian: apt-get install postgresql; macOS: brew install ' +
        'postgresql@18) and start again',
    })
  })
})
