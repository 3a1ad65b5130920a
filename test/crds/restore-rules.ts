// Rules of a Database's restore: a part of the table of its rules.
import type { RuleTable } from './rule-table.ts'

const there = { provider: { server: { connectionSecretRef: { name: 'admin' } } } }
const backupRef = { name: 'nightly' }
const location = { target: { pvc: { claimName: 'backups' } }, path: 'shop/crm/1/2026-03-29T0230Z-2' }
const begins = (restoreFrom: object) => ({ ...there, bootstrap: { restoreFrom } })
const asks = (from: object, more: object = {}) => ({ ...there, restore: { requestID: 'r1', from, ...more } })

const notOneSource = 'set exactly one of backupRef and location'
const notOneFrom = 'set exactly one of backupRef, location and previousOf'
const otherHome = 'only a Backup of the same namespace is allowed; remove namespace, or use location'
const notOneStore = 'set exactly one of pvc and s3'
const fixedBootstrap = 'bootstrap is immutable; use spec.restore to restore a backup later'
const fixedFrom = 'from cannot change for the same requestID, because each request runs once; set another requestID'

export const restoreRules: Pick<RuleTable, 'accepted' | 'refused' | 'existing' | 'acceptedChanges' | 'refusedChanges'> =
  {
    accepted: [
      ['a backup to begin with', 'shop', begins({ backupRef })],
      ['a location to begin with', 'shop', begins({ location })],
      ['a bucket to begin with', 'shop', begins({ location: { path: 'a/b/', target: { s3: { bucket: 'backups' } } } })],
      ['the copy of a server to begin with', 'shop', begins({ location: { ...location, method: 'Physical' } })],
      ['a restore', 'shop', asks({ backupRef }, { keepPrevious: '0s' })],
      ['an undoing', 'shop', asks({ previousOf: 'r0' })],
    ],
    refused: [
      ['nothing to begin with', 'shop', begins({}), 'spec.bootstrap.restoreFrom', notOneSource],
      ['two things to begin with', 'shop', begins({ backupRef, location }), 'spec.bootstrap.restoreFrom', notOneSource],
      [
        'no store to begin from',
        'shop',
        begins({ location: { ...location, target: {} } }),
        'spec.bootstrap.restoreFrom.location.target',
        notOneStore,
      ],
      [
        'a path that leads out',
        'shop',
        begins({ location: { ...location, path: '../other' } }),
        'spec.bootstrap.restoreFrom.location.path',
        "spec.bootstrap.restoreFrom.location.path in body should match '^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*/?$'",
      ],
      [
        'a Backup of another namespace to begin with',
        'shop',
        begins({ backupRef: { ...backupRef, namespace: 'default' } }),
        'spec.bootstrap.restoreFrom.backupRef.namespace',
        otherHome,
      ],
      [
        'a Backup of another namespace',
        'shop',
        asks({ backupRef: { ...backupRef, namespace: 'default' } }),
        'spec.restore.from.backupRef.namespace',
        otherHome,
      ],
      ['a restore from nothing', 'shop', asks({}), 'spec.restore.from', notOneFrom],
      ['a restore from two', 'shop', asks({ backupRef, previousOf: 'r0' }), 'spec.restore.from', notOneFrom],
      [
        'an undoing of itself',
        'shop',
        asks({ previousOf: 'r1' }),
        'spec.restore.from.previousOf',
        'previousOf must name an earlier request',
      ],
      [
        'the request of bootstrap',
        'shop',
        asks({ backupRef }, { requestID: 'bootstrap' }),
        'spec.restore.requestID',
        'bootstrap is reserved for spec.bootstrap; set another requestID',
      ],
      [
        'a request in capitals',
        'shop',
        asks({ backupRef }, { requestID: 'R1' }),
        'spec.restore.requestID',
        "spec.restore.requestID in body should match '^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$'",
      ],
      [
        'to keep it for ever',
        'shop',
        asks({ backupRef }, { keepPrevious: '8761h' }),
        'spec.restore.keepPrevious',
        'keepPrevious must be at most 8760h',
      ],
    ],
    existing: { 'was-begun': begins({ backupRef }), 'was-restored': asks({ backupRef }) },
    acceptedChanges: [
      [
        'another request',
        'was-restored',
        { restore: { requestID: 'u1', from: { backupRef: null, previousOf: 'r1' } } },
      ],
      ['to keep it longer', 'was-restored', { restore: { keepPrevious: '48h' } }],
      ['a request no more', 'was-restored', { restore: null }],
    ],
    refusedChanges: [
      ['to begin otherwise', 'was-begun', { bootstrap: null }, 'spec.bootstrap', fixedBootstrap],
      [
        'to begin with a backup',
        'was-there',
        { bootstrap: { restoreFrom: { backupRef } } },
        'spec.bootstrap',
        fixedBootstrap,
      ],
      [
        'another backup by the same request',
        'was-restored',
        { restore: { from: { backupRef: { name: 'other' } } } },
        'spec.restore.from',
        fixedFrom,
      ],
    ],
  }
