// Control plane of `dev`: the API server and its nodes, in this process. It installs and builds nothing. All its files
// are in one folder, which it removes at the end unless `persist` keeps it.
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { messageOf } from '../../base/errors.ts'
import { passageMode } from '../../local-node/private-folder-provisioner.ts'
import { startEmbeddedServer } from '../embedded-server.ts'
import { checkFolderToKeep, makeOwnFolder, sweepLeftovers } from '../own-folder.ts'
import { appendPrivate } from '../private-file.ts'
import { endPodsOf, nodeFolder } from './node-folder.ts'
import { OperatorHere, type OperatorHereOptions } from './operator-here.ts'
import type { Stage } from './stage.ts'

export interface EmbeddedStageOptions {
  /** Default: any free port. */
  readonly port?: number | undefined
  readonly kubeconfig?: string | undefined
  readonly persist?: string | undefined
  readonly repair?: boolean | undefined
}

/** Nodes of the control plane. */
export type StageNodes =
  /** Pods are simulated. */
  | { readonly kind: 'simulated'; readonly nodes: number }
  | { readonly kind: 'here'; start(place: NodePlace): Promise<StageNode> }

export interface NodePlace {
  readonly kubeconfigPath: string
  /** Folder of the control plane. */
  readonly folder: string
  /** PEM certificate with which the API server authenticates to the node to read logs. */
  readonly logReader: string
}

export interface StageNode {
  /** Throws a CommandError with one sentence if the node has ended unexpectedly. */
  throwIfEnded(): void
  stop(): Promise<void>
}

export interface StageParts {
  /** First line of the output, e.g. `the embedded control plane runs`. */
  readonly title: string
  readonly nodes: StageNodes
  readonly groundwork: Stage['groundwork']
  readonly operator: Omit<OperatorHereOptions, 'kubeconfig' | 'logFile'>
}

/** Starts the control plane. Rejects with a CommandError of exit code 2 if an option is invalid. */
export async function startEmbeddedStage(options: EmbeddedStageOptions, parts: StageParts): Promise<Stage> {
  const { title, nodes, groundwork, operator } = parts
  await using undo = new AsyncDisposableStack()
  const folder = options.persist ?? (await ownFolder(undo))
  if (options.persist !== undefined) checkFolderToKeep(folder)
  await mkdir(folder, { recursive: true, mode: passageMode(process.getuid?.()) })
  const faults = join(folder, 'apiserver.log')
  const { port = 0, kubeconfig = join(folder, 'kubeconfig'), persist, repair } = options
  const server = await startEmbeddedServer({
    ...{ host: '127.0.0.1', port, kubeconfig, persist, repair },
    ...(nodes.kind === 'simulated' ? { simulatedNodes: nodes.nodes } : {}),
    onFault: (thrown) => appendPrivate(faults, `${thrown instanceof Error ? thrown.stack : messageOf(thrown)}\n`),
  })
  undo.defer(() => server.stop())
  const { kubeconfigPath } = server
  const place = { kubeconfigPath, folder, logReader: server.kubeletReader }
  const node = nodes.kind === 'here' ? await nodes.start(place) : undefined
  if (node !== undefined) undo.defer(() => node.stop())
  const stack = undo.move()
  return {
    title,
    kubeconfigPath,
    groundwork,
    isFresh: server.isFresh,
    keptFolder: options.persist,
    startOperator: () =>
      new OperatorHere({ ...operator, kubeconfig: kubeconfigPath, logFile: join(folder, 'operator.log') }),
    throwIfEnded: () => node?.throwIfEnded(),
    stop: () => stack.disposeAsync(),
  }
}

const folderPrefix = 'konverge-dev-'

async function ownFolder(undo: AsyncDisposableStack): Promise<string> {
  const leaving = new AbortController()
  // Runs in parallel to the start, because the processes of a killed node may end slowly.
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
