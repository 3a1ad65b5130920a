// Broken clusters on a real control plane. The control plane is not shared, because these tests break it.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { startControlPlane } from '../control-plane/control-plane.ts'
import { OperatorProcess } from './operator-process.ts'
import { OwnRealServer } from './real-story-server.ts'
import { installDefinitions } from './stores.ts'
import { describeFaults } from './stories/faults.ts'

describeFaults({
  start: async () => new OwnRealServer(await startControlPlane({ kwok: { nodes: 2 }, auditLog: true })),
  install: installDefinitions,
})

const cluster = attachToControlPlane()

// These tests cover the whole process: its input, output and exit code.
describe('a process of the operator', () => {
  it('with wrong credentials ends with one sentence', async () => {
    const kubeconfig = join(cluster.folder, 'wrong.kubeconfig')
    const { url, caFile } = cluster
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority': caFile } }],
      users: [{ name: 'u', user: { token: 'not-a-token' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }
    await writeFile(kubeconfig, JSON.stringify(config))
    const running = new OperatorProcess(kubeconfig)
    expect((await running.exit()).code).toBe(1)
    expect(running.stderr).toMatch(/^konverge: .*credentials.*\n$/)
    expect(running.stderr).not.toContain('not-a-token')
  })

  it('without a cluster ends with one sentence', async () => {
    const own = await startControlPlane({ controllers: false })
    const kubeconfig = own.connection.kubeconfigPath
    await own.stopApiServer()
    try {
      const running = new OperatorProcess(kubeconfig)
      expect((await running.exit()).code).toBe(1)
      expect(running.stderr).toMatch(/^konverge: .*127\.0\.0\.1.*\n$/)
    } finally {
      await own.stop()
    }
  })
})
