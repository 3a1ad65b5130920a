import { describe, expect, it } from 'vitest'
import { compileCacheFolder } from '../../src/cli/compile-cache-folder.ts'

describe('the compile cache folder', () => {
  it.each([
    { environment: { HOME: '/home/ada' }, folder: '/home/ada/.cache/konverge/compiled' },
    { environment: { HOME: '/home/ada', XDG_CACHE_HOME: '/caches' }, folder: '/caches/konverge/compiled' },
    { environment: { XDG_CACHE_HOME: '/caches' }, folder: '/caches/konverge/compiled' },
    { environment: { HOME: '/home/ada', XDG_CACHE_HOME: '' }, folder: '/home/ada/.cache/konverge/compiled' },
    { environment: { HOME: '/home/ada', XDG_CACHE_HOME: 'caches' }, folder: '/home/ada/.cache/konverge/compiled' },
    { environment: { HOME: 'ada', TMPDIR: '/tmp' }, folder: undefined },
    { environment: { HOME: '' }, folder: undefined },
    { environment: {}, folder: undefined },
  ])('is $folder by $environment', ({ environment, folder }) => {
    expect(compileCacheFolder(environment)).toBe(folder)
  })
})
