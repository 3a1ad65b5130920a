// Choice of a dump tool: the oldest installed one that is new enough; otherwise the error names what is missing.
import { describe, expect, it } from 'vitest'
import { chooseTool, toolVersion } from '../../../src/controllers/engines/logical-tool.ts'

const tool = (majorVersion: number) => ({ majorVersion, version: `${majorVersion}.3`, folder: `/pg/${majorVersion}` })

describe('the choice of a tool', () => {
  it.each([
    [[15, 17, 18], 16, '17.3'],
    [[18, 15], 15, '15.3'],
  ])('among %j for version %i is %s', (majors, atLeast, version) => {
    expect(chooseTool('pg_dump', majors.map(tool), atLeast)).toMatchObject({ kind: 'tool', tool: { version } })
  })

  it.each([
    ['pg_dump', [], 'LogicalToolMissing', /no pg_dump where the backup runs.* version 18 or newer/],
    ['pg_dump', [14, 15], 'VersionMismatch', /pg_dump 15\.3 is too old for a server of version 18/],
    ['pg_restore', [15], 'VersionMismatch', /pg_restore 15\.3 is too old for an artifact of version 18/],
    ['pg_basebackup', [15], 'VersionMismatch', /pg_basebackup 15\.3 is too old for a server of version 18/],
    [
      'postgres',
      [17, 19],
      'VersionMismatch',
      /postgres 19\.3 cannot start the files of a server of version 18; use an image/,
    ],
    ['postgres', [], 'LogicalToolMissing', /no postgres where the backup runs; .* server programs, of version 18/],
  ] as const)('for %s among %j for version 18 fails: %s', (program, majors, reason, message) => {
    expect(chooseTool(program, majors.map(tool), 18)).toEqual({
      kind: 'none',
      reason,
      message: expect.stringMatching(message),
    })
  })

  it('uses the version of the server', () => {
    expect(chooseTool('postgres', [17, 15, 16].map(tool), 16)).toMatchObject({
      kind: 'tool',
      tool: { version: '16.3' },
    })
  })

  it.each([
    ['pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n', { version: '15.18', majorVersion: 15 }],
    ['pg_restore (PostgreSQL) 19beta1\n', { version: '19beta1', majorVersion: 19 }],
    ['bash: pg_dump: command not found', undefined],
  ])('parses %j', (printed, expected) => {
    expect(toolVersion(printed)).toEqual(expected)
  })
})
