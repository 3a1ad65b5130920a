// The inventory on a real API server; kubectl reads it as an ApplySet.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { Hand } from './hand.ts'
import { RealStoryServer } from './real-story-server.ts'
import { homeNamespace, makeShelf, startShelves, versionOne } from './shelves.ts'
import { describeInventory } from './stories/inventory.ts'

const cluster = attachToControlPlane()
const tooling = 'applyset.kubernetes.io/tooling'

describeInventory(() => RealStoryServer.start(cluster))

// Kubectl asks any server by discovery and lists; the conformance suite compares both servers.
describe('kubectl', () => {
  let server: RealStoryServer
  beforeAll(async () => {
    server = await RealStoryServer.start(cluster)
  })

  /** Runs `kubectl apply --prune --applyset` with the pages only, as a dry run. */
  async function applySet(): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const args = ['apply', '--server-side', '--force-conflicts', '--prune', '--dry-run=server', '-f', '-']
    const set = ['-n', homeNamespace, '--applyset=shelves.inventory.example.dev/shared']
    const pages = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared-pages' }, data: { a: 'b' } }
    const { kubectlPath, kubeconfigPath, kubectlCache } = cluster
    const command = promisify(execFile)(
      kubectlPath,
      [`--kubeconfig=${kubeconfigPath}`, `--cache-dir=${kubectlCache}`, ...args, ...set],
      { env: { ...process.env, KUBECTL_APPLYSET: 'true' }, timeout: 180_000 },
    )
    command.child.stdin?.end(JSON.stringify(pages))
    return await command.catch((error: { stdout: string; stderr: string }) => error)
  }

  it('rejects our resource as another tool’s ApplySet, and sees our members once kubectl owns it', async () => {
    const operator = await startShelves(server, versionOne, 'shelves-one/1')
    await makeShelf(server, 'shared')
    await operator.stop()
    expect((await applySet()).stderr).toContain('is managed by tooling "konverge.dev/konverge" instead of "kubectl"')
    await new Hand(server, homeNamespace).annotate('shelf', 'shared', { [tooling]: 'kubectl/v1.36' })
    const { stdout, stderr } = await applySet()
    expect(stderr).not.toContain('error')
    const pruned = stdout.split('\n').filter((line) => line.includes('pruned'))
    expect(pruned.map((line) => line.split(' ')[0]).sort()).toEqual([
      'persistentvolumeclaim/shared-data',
      'secret/shared-far',
      'secret/shared-kept',
      'secret/shared-login',
      'service/shared',
      'storageclass.storage.k8s.io/shared-disk',
    ])
  })
})
