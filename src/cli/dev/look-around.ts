// The text that follows the table of a `dev` command: how to look at the cluster from another terminal. Pure.

export interface Sights {
  /** As kubectl takes them. */
  readonly kinds: readonly string[]
  /** Lines that say what to try, each with its end. */
  readonly hints: string
  readonly kubeconfigPath: string
  /** The folder of a kubectl to use; absent: whichever the person has. */
  readonly kubectlFolder?: string | undefined
  readonly metricsUrl: string
  readonly operatorLog: string
  /** What stays at the end; absent: nothing. */
  readonly keptFolder?: string | undefined
}

export function lookAround(sights: Sights): string {
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
