import { describe, expect, it } from 'vitest'
import { withRealPaths } from '../../src/local-node/mount-paths.ts'

const mounts = [
  { mountPath: '/data', realPath: '/n/outer' },
  { mountPath: '/data/inner/', realPath: '/n/inner' },
  { mountPath: '/etc/app.conf', realPath: '/n/conf/app.conf' },
]

describe('paths of mounts', () => {
  it.each([
    ['/data', '/n/outer'],
    ['/data/x', '/n/outer/x'],
    ['/database', '/database'],
    ['/data/inner', '/n/inner'],
    ['/data/inner/y', '/n/inner/y'],
    ['/data/innermost', '/n/outer/innermost'],
    ['--conf=/etc/app.conf', '--conf=/n/conf/app.conf'],
    ['a:/data:/data/inner;ro', 'a:/n/outer:/n/inner;ro'],
    ["read('/data/x')", "read('/n/outer/x')"],
    ['relative/data/x', 'relative/data/x'],
    ['http://host/data', 'http://host/data'],
  ])('are replaced in %s: %s', (text, real) => expect(withRealPaths(text, mounts)).toBe(real))
})
