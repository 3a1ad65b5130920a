// What has to happen before a signal ends this process? The clean-up first; then the signal does what it would have
// done, unless somebody else listens to it, whose decision that is.

// Not SIGHUP: to listen to it would undo nohup.
const signals = ['SIGINT', 'SIGTERM'] as const

/** Calls `cleanUp` when a signal is about to end the process. Returns the function that takes this back. */
export function onExitSignal(cleanUp: () => Promise<void>): () => void {
  const handle = (signal: NodeJS.Signals) => {
    void cleanUp().finally(() => {
      takeBack()
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
    })
  }
  const takeBack = () => {
    for (const signal of signals) process.off(signal, handle)
  }
  for (const signal of signals) process.on(signal, handle)
  return takeBack
}
