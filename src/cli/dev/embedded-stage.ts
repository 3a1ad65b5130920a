// The control plane that `konverge dev` runs on: the API server and a node, both in this process. Nothing is installed and nothing is
// built; what it writes is in one folder, which goes at the end unless it was asked to keep what is written.
import { appendFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../../base/errors.ts'
import { startEmbeddedServer } from '../embedded-server.ts'
import { NodeHere } from './node-here.ts'
import { OperatorHere } from './operator-here.ts'
import { fastClass } from './sample-stores.ts'
import type { Stage, StageAsk } from './stage.ts'

export interface EmbeddedStageOptions {
  readonly port: number
  readonly kubeconfig?: string | undefined
  readonly persist?: string | undefined
  readonly repair?: boolean | undefined
}

/** Rejects with a CommandError of exit code 2 where an option is at fault. */
export async function startEmbeddedStage(options: EmbeddedStageOptions, ask: StageAsk): Promise<Stage> {
  await using undo = new AsyncDisposableStack()
  const folder = options.persist ?? (await ownFolder(undo))
  const faults = join(folder, 'apiserver.log')
  const server = await startEmbeddedServer({
    ...options,
    host: '127.0.0.1',
    kubeconfig: options.kubeconfig ?? join(folder, 'kubeconfig'),
    onFault: (thrown) => appendFileSync(faults, `${thrown instanceof Error ? thrown.stack : messageOf(thrown)}\n`),
  })
  undo.defer(() => server.stop())
  const { kubeconfigPath } = server
  const { environment, signal } = ask
  await mkdir(join(folder, 'node'), { recursive: true })
  const node = await NodeHere.start({ kubeconfigPath, folder, environment }, signal)
  undo.defer(() => node.stop())
  const stack = undo.move()
  return {
    title: 'the embedded control plane runs, with this machine as its node',
    kubeconfigPath,
    groundwork: [fastClass],
    isFresh: server.isFresh,
    startOperator: () => new OperatorHere(kubeconfigPath, join(folder, 'operator.log')),
    throwIfEnded: () => node.throwIfEnded(),
    stop: () => stack.disposeAsync(),
  }
}

async function ownFolder(undo: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-dev-'))
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  // Programs that run as other users must get to their volumes; what is secret in here is not theirs to read.
  await chmod(folder, 0o711)
  return folder
}
