// The control plane that `konverge dev` runs on: the API server and a node, both in this process. Nothing is installed and nothing is
// built; what it writes is in one folder, which goes at the end unless it was asked to keep what is written.
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { messageOf } from '../../base/errors.ts'
import { makeFolder, passageMode } from '../../local-node/private-folder-provisioner.ts'
import { startEmbeddedServer } from '../embedded-server.ts'
import { checkFolderToKeep, makeOwnFolder, sweepLeftovers } from '../own-folder.ts'
import { appendPrivate } from '../private-file.ts'
import { endPodsOf, NodeHere, nodeFolder } from './node-here.ts'
import { OperatorHere } from './operator-here.ts'
import { fastClass } from './sample-objects.ts'
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
  if (options.persist !== undefined) checkFolderToKeep(folder)
  await mkdir(folder, { recursive: true, mode: passageMode(process.getuid?.()) })
  const faults = join(folder, 'apiserver.log')
  const server = await startEmbeddedServer({
    ...options,
    host: '127.0.0.1',
    kubeconfig: options.kubeconfig ?? join(folder, 'kubeconfig'),
    onFault: (thrown) => appendPrivate(faults, `${thrown instanceof Error ? thrown.stack : messageOf(thrown)}\n`),
  })
  undo.defer(() => server.stop())
  const { kubeconfigPath } = server
  const { environment, signal } = ask
  await makeFolder(nodeFolder(folder), passageMode(process.getuid?.()))
  const logReader = server.kubeletReader
  const node = await NodeHere.start({ kubeconfigPath, folder, environment, logReader }, signal)
  undo.defer(() => node.stop())
  const stack = undo.move()
  return {
    title: 'the embedded control plane runs, with this machine as its node',
    kubeconfigPath,
    groundwork: [fastClass],
    isFresh: server.isFresh,
    databases: node.databases,
    keptFolder: options.persist,
    startOperator: () => new OperatorHere(kubeconfigPath, join(folder, 'operator.log')),
    throwIfEnded: () => node.throwIfEnded(),
    stop: () => stack.disposeAsync(),
  }
}

const folderPrefix = 'konverge-dev-'

async function ownFolder(undo: AsyncDisposableStack): Promise<string> {
  const leaving = new AbortController()
  // Beside the start: the programs of a node that was killed may take their time to end.
  const swept = sweepLeftovers(folderPrefix, (folder) => endPodsOf(nodeFolder(folder), leaving.signal))
  undo.defer(() => {
    leaving.abort(new Error('the stage ends'))
    return swept
  })
  const folder = await makeOwnFolder(folderPrefix)
  undo.defer(() => folder.remove())
  await chmod(folder.path, passageMode(process.getuid?.()))
  return folder.path
}
