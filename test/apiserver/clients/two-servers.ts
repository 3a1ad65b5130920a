// The two servers that clients compare: a real one and ours.
// By default neither has controllers, so that the client created everything in them.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedServer } from '../../../src/cli/embedded-server.ts'
import { startControlPlane } from '../../control-plane/control-plane.ts'
import { Kubectl } from './kubectl.ts'

export interface ComparedServer {
  readonly kubeconfig: string
  readonly kubectl: Kubectl
}

export interface TwoServers extends AsyncDisposable {
  readonly real: ComparedServer
  readonly ours: ComparedServer
}

export interface TwoServersOptions {
  /** Number of nodes with simulated pods; controllers then run on both. Default: no controllers. */
  readonly nodes?: number
}

export async function startTwoServers({ nodes }: TwoServersOptions = {}): Promise<TwoServers> {
  await using undo = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'konverge-clients-'))
  undo.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const controlPlane = await startControlPlane(nodes === undefined ? { controllers: false } : { kwok: { nodes } })
  undo.defer(() => controlPlane.stop())
  const embedded = await startEmbeddedServer({
    host: '127.0.0.1',
    port: 0,
    ...(nodes === undefined ? { controllers: [] } : { simulatedNodes: nodes }),
    kubeconfig: join(folder, 'kubeconfig'),
    onFault: (thrown) => process.stderr.write(`${thrown instanceof Error ? thrown.stack : String(thrown)}\n`),
  })
  undo.defer(() => embedded.stop())
  const server = (name: string, kubeconfig: string): ComparedServer => {
    const own = join(folder, name)
    mkdirSync(own)
    return { kubeconfig, kubectl: new Kubectl({ program: controlPlane.kubectlPath, kubeconfig, folder: own }) }
  }
  const real = server('real', controlPlane.kubeconfigPath)
  const ours = server('ours', embedded.kubeconfigPath)
  const stack = undo.move()
  return { real, ours, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
