import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/base/json.ts'
import type { Change } from '../../src/diff/compare.ts'
import { describeChanges } from '../../src/diff/describe.ts'
import { type FieldPath, fieldElement, fieldPath, type PathElement, renderPath } from '../../src/diff/field-path.ts'
import type { KubeObject } from '../../src/object/object.ts'

const statefulSet: KubeObject = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'a' } }
const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }
const item = (name: string): PathElement => ({ kind: 'key', key: { name } })

function line(object: KubeObject, change: Change, isSensitive?: (path: FieldPath) => boolean): string {
  return describeChanges(object, [change], { limit: 5, ...(isSensitive === undefined ? {} : { isSensitive }) }).join()
}

describe('describeChanges', () => {
  const spec = (name: string): FieldPath => fieldPath('spec', name)
  const shown: readonly (readonly [Change, string])[] = [
    [{ kind: 'change', path: spec('replicas'), desired: 5, live: 3 }, 'spec.replicas: 3 → 5'],
    [{ kind: 'add', path: spec('paused'), desired: true }, 'spec.paused: added true'],
    [{ kind: 'add', path: spec('replicas'), desired: 5, live: 5 }, 'spec.replicas: taken over as 5'],
    [{ kind: 'add', path: spec('replicas'), desired: 5, live: 3 }, 'spec.replicas: 3 → 5'],
    [{ kind: 'remove', path: spec('replicas'), live: 3 }, 'spec.replicas: 3 → removed'],
    [{ kind: 'remove', path: spec('replicas') }, 'spec.replicas: removed'],
    [{ kind: 'change', path: spec('image'), desired: 'b', live: 'a' }, 'spec.image: "a" → "b"'],
    [{ kind: 'add', path: spec('tags'), desired: ['a', { b: 1 }] }, 'spec.tags: added ["a",{"b":1}]'],
    [
      { kind: 'reorder', path: spec('list'), desired: [{ name: 'b' }], live: [{ name: 'a' }] },
      'spec.list: order [{"name":"a"}] → [{"name":"b"}]',
    ],
    [
      { kind: 'change', path: spec('automountServiceAccountToken'), desired: false, live: true },
      'spec.automountServiceAccountToken: true → false',
    ],
    [{ kind: 'change', path: spec('secretName'), desired: 'b', live: 'a' }, 'spec.secretName: "a" → "b"'],
  ]
  it.each(shown)('%j', (change, text) => {
    expect(line(statefulSet, change)).toBe(text)
  })

  it('shortens long values to fit a line', () => {
    const long = line(statefulSet, {
      kind: 'change',
      path: spec('text'),
      desired: 'x\n'.repeat(500),
      live: 'y'.repeat(500),
    })
    expect(long.length).toBeLessThan(110)
    expect(long).toMatch(/^spec\.text: "y+… → "(x\\n)+x?\\?…$/)
  })

  it('counts the omitted changes', () => {
    const changes = Array.from(
      { length: 7 },
      (_, index): Change => ({ kind: 'add', path: spec(`f${index}`), desired: 1 }),
    )
    expect(describeChanges(statefulSet, changes, { limit: 3 })).toEqual([
      'spec.f0: added 1',
      'spec.f1: added 1',
      'and 5 more',
    ])
    expect(describeChanges(statefulSet, changes, { limit: 7 })).toHaveLength(7)
    expect(describeChanges(statefulSet, [], { limit: 3 })).toEqual([])
  })
})

describe('a secret', () => {
  const value = 'hunter2'
  const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
  const env = [...fieldPath('spec', 'containers'), item('kv'), fieldElement('env')]
  const changes: readonly (readonly [string, KubeObject, FieldPath, Json])[] = [
    ['in the data of a Secret', secret, fieldPath('data', 'user'), value],
    ['in all data of a Secret', secret, fieldPath('data'), { user: value }],
    ['in stringData', secret, fieldPath('stringData', 'user'), value],
    ['in the value of a variable', statefulSet, [...env, item('DB_PASSWORD'), fieldElement('value')], value],
    ['in a new variable', statefulSet, [...env, item('API_KEY')], { name: 'API_KEY', value }],
    [
      'in a new container',
      statefulSet,
      [...fieldPath('spec', 'containers'), item('kv')],
      { name: 'kv', env: [{ name: 'AUTH', value }] },
    ],
    ['in a field with such a name', statefulSet, fieldPath('spec', 'auth', 'adminPassword'), value],
    ['deep in a new value', statefulSet, fieldPath('spec', 'auth'), { users: [{ name: 'a', token: value }] }],
    [
      'in what kubectl last applied',
      statefulSet,
      fieldPath('metadata', 'annotations', lastApplied),
      `{"data":"${value}"}`,
    ],
    ['in new annotations', statefulSet, fieldPath('metadata', 'annotations'), { [lastApplied]: value }],
    [
      'in an argument',
      statefulSet,
      fieldPath('spec', 'args'),
      [`--password=${value}`, '--db-password', `token: ${value}`],
    ],
    ['in an argument of its own', statefulSet, fieldPath('spec', 'args'), ['--password', value]],
    ['in a header', statefulSet, fieldPath('spec', 'header'), `Authorization: Bearer ${value}`],
    ['in a private key', statefulSet, fieldPath('data', 'pem'), `-----BEGIN RSA PRIVATE KEY-----\n${value}`],
    ['in a URL', statefulSet, fieldPath('spec', 'url'), `postgres://user:${value}@host/db`],
    ['in JSON text', statefulSet, fieldPath('data', 'config'), `{"password": "${value} and more"}`],
    ['in a set', statefulSet, [...fieldPath('spec', 'token'), { kind: 'value', value }], value],
  ]
  it.each(changes)('is never shown %s', (_, object, path, holder) => {
    expect(line(object, { kind: 'add', path, desired: holder })).toContain('(secret)')
    for (const change of [
      { kind: 'add', path, desired: holder },
      { kind: 'add', path, desired: holder, live: 'x' },
      { kind: 'change', path, desired: 'x', live: holder },
      { kind: 'remove', path, live: holder },
    ] satisfies Change[]) {
      expect(line(object, change)).not.toContain(value)
    }
  })

  it('is also recognised by the argument before it', () => {
    const object = { ...statefulSet, spec: { containers: [{ name: 'kv', args: ['--token', 'new', '--port', '1'] }] } }
    const args = [...fieldPath('spec', 'containers'), item('kv'), fieldElement('args')]
    const changed = (index: number): string =>
      line(object, { kind: 'change', path: [...args, { kind: 'index', index }], desired: 'new', live: 'old' })
    expect(changed(1)).toBe('spec.containers[name="kv"].args[1]: (secret) changed')
    expect(changed(3)).toBe('spec.containers[name="kv"].args[3]: "old" → "new"')
  })

  it('leaves the rest of the line readable', () => {
    expect(line(secret, { kind: 'change', path: fieldPath('data', 'password'), desired: 'a', live: 'b' })).toBe(
      'data.password: (secret) changed',
    )
    expect(line(secret, { kind: 'add', path: fieldPath('metadata', 'labels', 'a'), desired: 'b' })).toBe(
      'metadata.labels.a: added "b"',
    )
    expect(
      line(statefulSet, { kind: 'add', path: fieldPath('spec', 'auth'), desired: { user: 'u', password: 'p' } }),
    ).toBe('spec.auth: added {"user":"u","password":"(secret)"}')
  })

  it('is also recognised by the caller’s predicate', () => {
    const isSensitive = (path: FieldPath): boolean => renderPath(path) === 'spec.pin'
    expect(
      line(statefulSet, { kind: 'change', path: fieldPath('spec', 'pin'), desired: 1234, live: 1 }, isSensitive),
    ).toBe('spec.pin: (secret) changed')
    expect(line(statefulSet, { kind: 'add', path: fieldPath('spec'), desired: { pin: 1234, a: 1 } }, isSensitive)).toBe(
      'spec: added {"pin":"(secret)","a":1}',
    )
  })

  it('in a Secret is never shown, in any shape', () => {
    const anyJson = fc
      .jsonValue({ maxDepth: 3, stringUnit: fc.constantFrom('§') })
      .filter((json) => JSON.stringify(json).includes('§'))
    fc.assert(
      fc.property(anyJson, (json) => {
        const data = json as Json // jsonValue makes only JSON.
        const changes: Change[] = [
          { kind: 'add', path: fieldPath('data'), desired: data },
          { kind: 'change', path: fieldPath('data', 'a'), desired: data, live: data },
        ]
        expect(describeChanges(secret, changes, { limit: 5 }).join()).not.toContain('§')
      }),
    )
  })

  it('is recognised by its name in any object', () => {
    const name = fc.constantFrom('password', 'dbPassword', 'api_key', 'accessToken', 'client-secret', 'privateKey')
    fc.assert(
      fc.property(
        name,
        fc.stringMatching(/^§+$/),
        fc.dictionary(fc.constantFrom('a', 'b'), fc.string({ unit: fc.constantFrom('x', ' ') })),
        (field, text, rest) => {
          const holder: JsonObject = { list: [{ ...rest, [field]: text }] }
          expect(line(statefulSet, { kind: 'add', path: fieldPath('spec'), desired: holder })).not.toContain('§')
        },
      ),
    )
  })
})
