// Text below the table of `dev`: how to inspect the cluster from another terminal. Pure.

export interface Hints {
  /** Names that kubectl accepts. */
  readonly kinds: readonly string[]
  /** Hints, one a line, each with its line feed. */
  readonly hints: string
  readonly kubeconfigPath: string
  /** Folder of a kubectl to put first in PATH; absent: the user's own kubectl. */
  readonly kubectlFolder?: string | undefined
  readonly metricsUrl: string
  readonly operatorLog: string
  /** Folder that remains at the end; absent: nothing remains. */
  readonly keptFolder?: string | undefined
}

export function lookAround(sights: Hints): string {
  const { kinds, hints, kubeconfigPath, kubectlFolder, metricsUrl, operatorLog, keptFolder } = sights
  const path = kubectlFolder === undefined ? '' : `\n  export PATH=${kubectlFolder}:$PATH`
  const rest = keptFolder === undefined ? 'leaves nothing behind' : `keeps all that was written in ${keptFolder}`
  return `
In another terminal:

  export KUBECONFIG=${kubeconfigPath}${path}

  Look     kubectl get ${kinds.join()} -A
${hints}
  Metrics  ${metricsUrl}
  Log      ${operatorLog}

Ctrl-C ends everything and ${rest}. What changes until then:
`
}
