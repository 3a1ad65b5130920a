// Manifest of a backup. Invariant: an artifact without a valid manifest is not a backup.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backupFolder } from '../../../src/controllers/backup/artifact-layout.ts'
import { manifestText, newManifest, readManifest } from '../../../src/controllers/backup/manifest.ts'

const manifest = newManifest({
  backup: { uid: '1b4e28ba-2fa1-11d2-883f-0016d3cca427', namespace: 'shop', name: 'nightly-29551350' },
  startedAt: '2026-03-10T02:30:00Z',
  completedAt: '2026-03-10T02:31:00Z',
  source: {
    databaseUid: '2c4e28ba-2fa1-11d2-883f-0016d3cca427',
    database: 'crm',
    owner: 'crm_owner',
    encoding: 'UTF8',
    collate: 'C.UTF-8',
    ctype: 'C.UTF-8',
    systemIdentifier: '7512345678901234567',
    databaseOid: 16_384,
    serverVersion: '15.18',
    majorVersion: 15,
    logPosition: '0/16B3748',
    sizeBytes: 7_600_000,
  },
  artifact: { file: 'data-1.dump', sizeBytes: 4, sha256: 'ab', format: 'pg_dump/custom', toolVersion: '15.18' },
  contents: {
    tables: [{ schema: 'public', name: 'größe "x"', rows: '3', hash: '123456789012345678901' }],
    sequences: [],
    extensions: [],
    largeObjects: '0',
    objects: { views: 1, indexes: 2 },
  },
  specHash: 'cd',
})
const text = manifestText(manifest)

describe('a manifest', () => {
  it('is parsed as it was written', () => {
    expect(readManifest(text)).toEqual({ kind: 'manifest', manifest })
  })

  it.each([
    ['', /no JSON/],
    [text.slice(0, -10), /no JSON/],
    ['{"hello":"world"}', /not written by a Backup/],
    ['[]', /not written by a Backup/],
    ['null', /not written by a Backup/],
    [
      text.replace('logical-backup/1', 'logical-backup/9'),
      /"konverge\/logical-backup\/9", which this version cannot read/,
    ],
    [text.replace('"rows": "3"', '"rows": "4"'), /changed after it was written/],
  ])('is rejected when it is %j', (broken, fault) => {
    expect(readManifest(broken)).toEqual({ kind: 'refused', fault: expect.stringMatching(fault) })
  })

  const given = { on: 'Table', schema: 's', name: 't', privileges: ['SELECT'] }
  const rights = (object: unknown) => ({ publicRights: { objects: [object], defaults: [] } })
  const byDefault = (one: unknown) => ({ publicRights: { objects: [], defaults: [one] } })
  const contents = (changes: object) => ({ contents: { ...manifest.contents, ...changes } })
  const [table] = manifest.contents.tables
  const sequence = { schema: 's', name: 'q', lastValue: '7', increment: '1', cycles: false }
  const locale = (localeProvider: unknown) => ({ source: { ...manifest.source, localeProvider } })
  it.each<readonly [string, object]>([
    ['publicRights', { publicRights: null }],
    ['publicRights', { publicRights: [] }],
    ['publicRights', { publicRights: { objects: [] } }],
    ['publicRights', { publicRights: { objects: {}, defaults: [] } }],
    ['publicRights', rights({ ...given, on: 'Database' })],
    ['publicRights', rights({ ...given, on: 'constructor' })],
    ['publicRights', rights({ ...given, privileges: 'SELECT' })],
    ['publicRights', rights({ ...given, privileges: [['SELECT']] })],
    ['publicRights', rights({ ...given, name: { toString: 'x' } })],
    ['publicRights', rights({ ...given, kind: 'dropRole' })],
    ['publicRights', rights({ ...given, on: 'Function' })],
    ['publicRights', rights({ ...given, on: 'Function', arguments: [{ schema: 'pg_catalog', name: 'int4' }] })],
    ['publicRights', rights({ ...given, on: 'Column' })],
    ['publicRights', byDefault({ kind: 'createRole', role: 'mallory', attributes: {} })],
    ['publicRights', byDefault({ on: 'Table', schema: '', privileges: [], kind: 'dropOwned', role: 'other' })],
    ['publicRights', byDefault({ on: 'Database', schema: '', privileges: [] })],
    ['source.localeProvider', locale('icu')],
    ['source.localeProvider', locale({ kind: 'icu' })],
    ['source.localeProvider', locale({ kind: 'libc', locale: 'C' })],
    ['source.localeProvider', locale({ kind: 'builtin', locale: ['C'] })],
    ['source.encoding', { source: { ...manifest.source, encoding: ['UTF8'] } }],
    ['source.majorVersion', { source: { ...manifest.source, majorVersion: '../15' } }],
    ['artifact.file', { artifact: { ...manifest.artifact, file: 1 } }],
    ['contents.extensions', { contents: { ...manifest.contents, extensions: [{ name: 'dblink' }] } }],
    ['contents.tables', { contents: [] }],
    ['contents.tables', contents({ tables: null })],
    ['contents.tables', contents({ tables: [{ ...table, rows: 3 }] })],
    ['contents.tables', contents({ tables: [{ ...table, rows: 'three' }] })],
    ['contents.tables', contents({ tables: [{ ...table, hash: undefined }] })],
    ['contents.tables', contents({ tables: [{ ...table, schema: ['public'] }] })],
    ['contents.rowHash', contents({ rowHash: 'none' })],
    ['contents.sequences', contents({ sequences: undefined })],
    ['contents.sequences', contents({ sequences: [{ ...sequence, lastValue: 'x' }] })],
    ['contents.sequences', contents({ sequences: [{ ...sequence, lastValue: '' }] })],
    ['contents.sequences', contents({ sequences: [{ ...sequence, increment: null }] })],
    ['contents.sequences', contents({ sequences: [{ ...sequence, cycles: 'no' }] })],
    ['contents.objects', contents({ objects: undefined })],
    ['contents.objects', contents({ objects: [1] })],
    ['contents.objects', contents({ objects: { views: '1' } })],
    ['contents.largeObjects', contents({ largeObjects: undefined })],
    ['contents.largeObjects', contents({ largeObjects: 'some' })],
    ['artifact.toolVersion', { artifact: { ...manifest.artifact, toolVersion: 'x' } }],
  ])('is rejected when its %s has another type: %j', (part, changes) => {
    const forged = manifestText({ ...manifest, ...changes })
    expect(readManifest(forged)).toEqual({
      kind: 'refused',
      fault: `has in ${part} what this version does not write, and is not used`,
    })
  })

  it.each<readonly [string, object]>([
    ['what nobody counted', { tables: [{ ...table, rows: '', hash: null }] }],
    ['what was only counted', { tables: [{ ...table, hash: null }] }],
    ['a hash below zero', { rowHash: 'hashtextextended', tables: [{ ...table, hash: '-123456789012345678901' }] }],
    ['sequences that count down', { sequences: [{ ...sequence, lastValue: '-7', increment: '-1', cycles: true }] }],
    ['sequences that nobody used', { sequences: [{ ...sequence, lastValue: null }] }],
    ['another sort of objects', { objects: { 'own triggers': 1, triggers: 1 } }],
    ['nothing', { tables: [], objects: {} }],
  ])('may hold %s', (_, changes) => {
    const one = { ...manifest, ...contents(changes) }
    expect(readManifest(manifestText(one))).toEqual({ kind: 'manifest', manifest: one })
  })

  it('may name the collation provider and the privileges of PUBLIC', () => {
    const own = { schema: 's', name: 'f', privileges: [] }
    const full = {
      ...manifest,
      source: { ...manifest.source, localeProvider: { kind: 'icu', locale: 'de', rules: '&a < b' } },
      publicRights: {
        objects: [
          given,
          { ...own, on: 'Function', arguments: [{ schema: 'pg_catalog', name: 'int4', isArray: false }] },
          { ...own, on: 'Column', column: 'c' },
          { ...own, on: 'Schema', schema: '' },
        ],
        defaults: [{ on: 'Schema', schema: '', privileges: ['USAGE'] }],
      },
    }
    expect(readManifest(manifestText(full))).toEqual({ kind: 'manifest', manifest: full })
  })

  it('is rejected with any flipped bit, except in white space', () => {
    const bytes = Buffer.from(text)
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 0, max: 7 }), (at, bit) => {
        const flipped = Buffer.from(bytes)
        flipped[at] = (flipped[at] ?? 0) ^ (1 << bit)
        const reading = readManifest(flipped.toString('utf8'))
        if (reading.kind === 'manifest') expect(reading.manifest).toEqual(manifest)
      }),
      { numRuns: 500 },
    )
  })
})

it('a backup has a folder with a readable name', () => {
  const place = { namespace: 'shop', database: 'crm', databaseUid: 'D', backupUid: 'B' }
  expect(backupFolder({ ...place, slotMs: Date.parse('2026-03-29T02:30:00Z') })).toBe('shop/crm/D/2026-03-29T0230Z-B/')
})
