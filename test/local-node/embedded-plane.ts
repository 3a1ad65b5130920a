// Embedded control plane for tests of the local node; kubectl and requests use it like the real one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedServer } from '../../src/cli/embedded-server.ts'
import { ControlPlaneClient, type ControlPlaneConnection } from '../control-plane/control-plane-client.ts'
import { kubeletReaderFile } from '../control-plane/layout.ts'

export interface EmbeddedPlane {
  readonly plane: ControlPlaneClient
  stop(): Promise<void>
}

/** Starts it with the kubectl of `real`. */
export async function startEmbeddedPlane(real: ControlPlaneConnection): Promise<EmbeddedPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'konverge-plane-'))
  const server = await startEmbeddedServer({
    host: '127.0.0.1',
    port: 0,
    kubeconfig: join(folder, 'kubeconfig'),
    onFault: (thrown) => process.stderr.write(`${thrown instanceof Error ? thrown.stack : String(thrown)}\n`),
  })
  const caFile = join(folder, 'ca.crt')
  writeFileSync(caFile, server.identity.certificate)
  writeFileSync(join(folder, kubeletReaderFile), server.kubeletReader)
  const { url, token, kubeconfigPath } = server
  const connection = { url, caFile, token, kubeconfigPath, folder, kubectlCache: join(folder, 'cache') }
  return {
    plane: new ControlPlaneClient({ ...real, ...connection }),
    stop: async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
