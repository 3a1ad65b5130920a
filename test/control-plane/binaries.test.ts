import { describe, expect, it } from 'vitest'
import type { Surroundings } from './binaries.ts'
import { binarySource } from './binaries.ts'

const bare: Surroundings = {
  environment: { HOME: '/home/me' },
  isExecutable: () => false,
  goVersion: () => undefined,
  sources: () => ['main', 'sum'],
}
const withGo: Surroundings = { ...bare, goVersion: () => 'go version go1.26.0 linux/amd64' }
const withAssets = (...files: readonly string[]): Surroundings => ({
  ...bare,
  environment: { ...bare.environment, KUBEBUILDER_ASSETS: '/assets' },
  isExecutable: (path) => files.some((file) => path === `/assets/${file}`),
})

describe('binarySource', () => {
  it('reports the remedy without Go and without a folder of programs', () => {
    expect(() => binarySource(['etcd', 'kube-apiserver', 'kubectl'], bare)).toThrow(
      'There is no control plane to test against: install Go, so that it can be built, or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kubectl.',
    )
  })

  it('uses the folder of KUBEBUILDER_ASSETS if it is complete, without a check for Go', () => {
    expect(binarySource(['etcd', 'kubectl'], withAssets('etcd', 'kubectl'))).toEqual({
      kind: 'ready',
      folder: '/assets',
    })
  })

  it('reports the programs that KUBEBUILDER_ASSETS lacks, even if Go exists', () => {
    const around = { ...withAssets('etcd'), goVersion: withGo.goVersion }
    expect(() => binarySource(['etcd', 'kube-scheduler', 'kwok'], around)).toThrow(
      'KUBEBUILDER_ASSETS (/assets) has no kube-scheduler and kwok: add what is missing, or unset the variable to build the control plane with Go.',
    )
  })

  it('builds into a cache outside the checkout, and reuses it', () => {
    const source = binarySource(['etcd'], withGo)
    expect(source.kind).toBe('to-build')
    expect(source.folder).toMatch(/^\/home\/me\/\.cache\/konverge\/control-plane\/[0-9a-f]{16}$/)
    const built = { ...withGo, isExecutable: (path: string) => path.startsWith(`${source.folder}/`) }
    expect(binarySource(['etcd'], built)).toEqual({ kind: 'ready', folder: source.folder })
  })

  it('rebuilds if a program is missing from the cache, or if the sources or Go change', () => {
    const { folder } = binarySource(['etcd'], withGo)
    const half = { ...withGo, isExecutable: (path: string) => path.endsWith('/etcd') }
    expect(binarySource(['etcd'], half).kind).toBe('to-build')
    expect(binarySource(['etcd'], { ...withGo, sources: () => ['main', 'other sum'] }).folder).not.toBe(folder)
    expect(binarySource(['etcd'], { ...withGo, goVersion: () => 'go version go1.27.0' }).folder).not.toBe(folder)
  })

  it('uses XDG_CACHE_HOME, and reports a missing location for a cache', () => {
    const elsewhere = { ...withGo, environment: { XDG_CACHE_HOME: '/cache', HOME: '/home/me' } }
    expect(binarySource(['etcd'], elsewhere).folder).toMatch(/^\/cache\/konverge\/control-plane\//)
    expect(() => binarySource(['etcd'], { ...withGo, environment: {} })).toThrow('set XDG_CACHE_HOME or HOME')
  })
})
