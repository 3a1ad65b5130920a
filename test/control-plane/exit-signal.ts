// Cleanup before a signal ends this process. After the cleanup the signal has its default effect, unless another
// listener handles it.
// SIGHUP is excluded, because a listener for it would undo nohup.
const signals = ['SIGINT', 'SIGTERM'] as const

/** Calls `cleanUp` before a signal ends the process. Returns a function that removes the listener. */
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
