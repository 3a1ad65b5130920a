import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isKubeError } from '../../src/kube/kube-errors.ts'
import { collectionPath, listQuery, objectPath, watchQuery, writeQuery } from '../../src/kube/paths.ts'
import { Namespace, Service, StatefulSet } from '../../src/object/built-in.ts'

describe('paths', () => {
  it.each([
    ['a core collection', collectionPath(Service, 'default'), '/api/v1/namespaces/default/services'],
    ['all namespaces', collectionPath(StatefulSet, undefined), '/apis/apps/v1/statefulsets'],
    ['a cluster-scoped collection', collectionPath(Namespace, undefined), '/api/v1/namespaces'],
    [
      'an object',
      objectPath(StatefulSet, { namespace: 'default', name: 'store' }),
      '/apis/apps/v1/namespaces/default/statefulsets/store',
    ],
    ['a cluster-scoped object', objectPath(Namespace, { name: 'default' }), '/api/v1/namespaces/default'],
    [
      'a status',
      objectPath(StatefulSet, { namespace: 'default', name: 'store' }, 'status'),
      '/apis/apps/v1/namespaces/default/statefulsets/store/status',
    ],
    ['a name with a colon', objectPath(Namespace, { name: 'system:a b' }), '/api/v1/namespaces/system%3Aa%20b'],
  ])('gives the path of %s', (_what, path, wanted) => {
    expect(path).toBe(wanted)
  })

  it.each(['', '.', '..', 'store/status', '../secrets', 'a%2Fb', '%2e%2e', '\ud800'])(
    'rejects %j as a name or a namespace, because it would address another object',
    (name) => {
      const refuses = (run: () => unknown) => {
        try {
          run()
        } catch (thrown) {
          return isKubeError(thrown, 'BadRequest')
        }
        return false
      }
      expect(refuses(() => objectPath(Service, { namespace: 'default', name }))).toBe(true)
      expect(refuses(() => collectionPath(Service, name))).toBe(true)
    },
  )

  it('never lets a name add or remove a segment, however it is spelt', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('/', '%', '.', '2', 'F', 'a', ' ', '?', '#', 'é', '\ud800') }),
        (name) => {
          let path: string
          try {
            path = objectPath(Service, { namespace: 'default', name })
          } catch (thrown) {
            expect(isKubeError(thrown, 'BadRequest')).toBe(true)
            return
          }
          // Like the server: decode, then split.
          expect(decodeURIComponent(new URL(path, 'http://server').pathname).split('/').slice(0, 7)).toEqual([
            '',
            'api',
            'v1',
            'namespaces',
            'default',
            'services',
            name,
          ])
        },
      ),
    )
  })

  it('fails an assertion for a namespaced object without a namespace, and the other way round', () => {
    expect(() => objectPath(Service, { name: 'store' })).toThrow('Service is namespaced')
    expect(() => collectionPath(Namespace, 'default')).toThrow('Namespace is cluster-scoped')
  })
})

describe('queries', () => {
  it.each([
    ['nothing to say', listQuery({}), ''],
    ['the newest state', listQuery({ resourceVersion: '' }), ''],
    ['any state', listQuery({ resourceVersion: '0' }), '?resourceVersion=0'],
    [
      'a first page',
      listQuery({ limit: 500, resourceVersion: '7', resourceVersionMatch: 'NotOlderThan' }),
      '?resourceVersion=7&resourceVersionMatch=NotOlderThan&limit=500',
    ],
    [
      'a later page, which must not name a version',
      listQuery({ limit: 500, resourceVersion: '7', resourceVersionMatch: 'NotOlderThan', continueToken: 'a+/=' }),
      '?limit=500&continue=a%2B%2F%3D',
    ],
    [
      'selectors',
      listQuery({ namespace: 'default', labelSelector: 'a in (b,c)', fieldSelector: 'metadata.name=x' }),
      '?labelSelector=a%20in%20(b%2Cc)&fieldSelector=metadata.name%3Dx',
    ],
    ['a watch, always with bookmarks', watchQuery({}), '?watch=true&allowWatchBookmarks=true'],
    [
      'a watch list',
      watchQuery({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', timeoutSeconds: 300 }),
      '?watch=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=300',
    ],
    ['a write', writeQuery({ fieldManager: 'konverge' }), '?fieldManager=konverge'],
    ['a write that is no dry run', writeQuery({ fieldManager: 'konverge', dryRun: false }), '?fieldManager=konverge'],
    [
      'a strict, forced dry run',
      writeQuery({ fieldManager: 'konverge', force: true, dryRun: true, fieldValidation: 'Strict' }),
      '?fieldManager=konverge&force=true&dryRun=All&fieldValidation=Strict',
    ],
  ])('contain the options of %s', (_what, query, wanted) => {
    expect(query).toBe(wanted)
  })
})
