import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { PluginLoader } from '../../src/kube/plugin-loader.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'

// kube-config-loader.test.ts tests the use of a plugin by a connection.
it('ignores a late rejection of old credentials', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'konverge-plugin-'))
  const { signal } = new AbortController()
  const loader = new PluginLoader({
    clock: new SimClock(),
    environment: { PATH: process.env.PATH },
    cluster: { server: 'https://server', skipTlsVerify: false },
    plugin: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'sh',
      arguments: [fileURLToPath(new URL('fixtures/plugin.sh', import.meta.url)), join(folder, 'runs'), 'token', ''],
      environment: {},
      needsCluster: false,
      needsTerminal: false,
    },
  })
  try {
    const old = await loader.credentials(signal)
    loader.refuse(old)
    const renewed = await loader.credentials(signal)
    expect(renewed.headers.authorization).toBe('Bearer token-2')
    loader.refuse(old)
    expect(await loader.credentials(signal)).toBe(renewed)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
