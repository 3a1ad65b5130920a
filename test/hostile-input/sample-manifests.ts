// Complete manifest of each form, from which generators of hostile manifests start.
const inEachForm = {
  backup: { uid: 'u', namespace: 'shop', name: 'nightly' },
  startedAt: '2026-01-01T00:00:00Z',
  completedAt: '2026-01-01T00:01:00Z',
  specHash: 'h',
  source: {
    ...{ database: 'crm', owner: 'crm_owner', systemIdentifier: '7431000000000000001', databaseOid: 16_400 },
    ...{ majorVersion: 17, serverVersion: '17.2', encoding: 'UTF8', collate: 'C', ctype: 'C', logPosition: '0/1' },
    ...{ databaseUid: 'd', localeProvider: { kind: 'libc' } },
  },
}

export const logicalManifest = {
  form: 'konverge/logical-backup/1',
  ...inEachForm,
  artifact: { file: 'data-a.dump', sizeBytes: 1_000, sha256: 'a', format: 'pg_dump/custom', toolVersion: '17.2' },
  contents: {
    rowHash: 'hashtextextended',
    tables: [{ schema: 'public', name: 'orders', rows: '3', hash: '-12' }],
    sequences: [{ schema: 'public', name: 'ids', lastValue: '3', increment: '1', cycles: false }],
    largeObjects: '0',
    objects: { views: 1 },
    extensions: [{ name: 'hstore', version: '1.8', schema: 'public' }],
  },
  publicRights: {
    objects: [{ on: 'Table', schema: 'public', name: 'orders', privileges: ['SELECT'] }],
    defaults: [{ on: 'Table', schema: 'public', privileges: ['SELECT'] }],
  },
}

export const physicalManifest = {
  form: 'konverge/physical-backup/1',
  ...inEachForm,
  artifact: {
    file: 'copy-a.tar',
    sizeBytes: 1_000,
    sha256: 'a',
    format: 'pg_basebackup/tar',
    packing: 'gzip',
    toolVersion: '17.2',
  },
  copy: { admin: 'postgres', timeline: 1, startPosition: '0/1', endPosition: '0/2', files: 3, manifestSha256: 'b' },
}
