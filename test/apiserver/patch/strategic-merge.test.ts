import { describe, expect, it } from 'vitest'
import { BuiltInDataLoader } from '../../../src/apiserver/built-in/built-in-data-loader.ts'
import { applyStrategicMergePatch } from '../../../src/apiserver/patch/strategic-merge.ts'
import type { JsonObject } from '../../../src/base/json.ts'

const pod = new BuiltInDataLoader().kind({ group: '', version: 'v1', kind: 'Pod' })
const live = {
  metadata: { name: 'p', labels: { a: '1' } },
  spec: {
    containers: [
      { name: 'main', image: 'x:1', env: [{ name: 'A', value: '1' }] },
      { name: 'side', image: 'y' },
    ],
  },
}

function patched(patch: JsonObject): JsonObject {
  if (pod === undefined) throw new Error('no pods')
  return applyStrategicMergePatch(live, patch, pod.type)
}

describe('a strategic merge patch', () => {
  it('merges lists by their key', () => {
    const containers = [{ name: 'main', image: 'x:2' }]
    expect(patched({ spec: { containers } })).toEqual({
      ...live,
      spec: {
        containers: [
          { name: 'main', image: 'x:2', env: [{ name: 'A', value: '1' }] },
          { name: 'side', image: 'y' },
        ],
      },
    })
  })

  it('removes items and sets the order', () => {
    const patch = {
      spec: {
        $setElementOrder: undefined,
        '$setElementOrder/containers': [{ name: 'side' }, { name: 'new' }, { name: 'main' }],
        containers: [{ name: 'new' }],
      },
    }
    const names = (patched(patch)['spec'] as unknown as typeof live.spec).containers.map(({ name }) => name) // As above.
    expect(names).toEqual(['side', 'new', 'main'])
    const without = patched({ spec: { containers: [{ name: 'main', $patch: 'delete' }] } })
    expect(without['spec']).toEqual({ containers: [{ name: 'side', image: 'y' }] })
  })

  it('returns the same references for unchanged objects and parts', () => {
    expect(patched({ metadata: { labels: { a: '1', b: null } } })).toBe(live)
    expect(patched({ metadata: { labels: { a: '2' } } })['spec']).toBe(live.spec)
  })

  it('rejects a malformed directive like the real server', () => {
    expect(() => patched({ spec: { $retainKeys: 'x' } })).toThrow('invalid patch format of retainKeys')
    expect(() => patched({ spec: { containers: [{ image: 'x' }] } })).toThrow(
      'map: map[image:x] does not contain declared merge key: name',
    )
  })
})
