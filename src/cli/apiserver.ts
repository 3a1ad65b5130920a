// Command `apiserver`: serves the API server alone, for operators in any language. It prints its address in one line
// and runs until the signal aborts.
import { messageOf } from '../base/errors.ts'
import { type EmbeddedServerOptions, startEmbeddedServer } from './embedded-server.ts'

export interface ApiserverOptions extends Omit<EmbeddedServerOptions, 'onFault' | 'controllers'> {
  /** Names as in kube-controller-manager's flag `--controllers`; empty: all. */
  readonly controllers: readonly string[]
  readonly write: (text: string) => void
  readonly writeError: (text: string) => void
}

/** Resolves after the signal has aborted and the server has stopped. */
export async function apiserver(options: ApiserverOptions, signal: AbortSignal): Promise<void> {
  const { write, writeError, controllers } = options
  const server = await startEmbeddedServer({
    ...options,
    controllers: controllers.length === 0 ? undefined : controllers,
    onFault: (thrown) =>
      writeError(
        `konverge: a request failed by a fault of the server: ${thrown instanceof Error ? thrown.stack : messageOf(thrown)}\n`,
      ),
  })
  try {
    write(`konverge: the API server is at ${server.url}; export KUBECONFIG=${server.kubeconfigPath}\n`)
    await aborted(signal)
  } finally {
    await server.stop()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
