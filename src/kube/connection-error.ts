// Errors of the configuration of a connection: the kubeconfig, the service account or a credential plugin lacks
// required data. Each code has one remedy for the user.
import { CodedError, type Remedy } from '../base/errors.ts'

export type ConnectionErrorCode =
  /** No kubeconfig exists at the configured paths. */
  | 'ConfigMissing'
  | 'ConfigUnreadable'
  /** The kubeconfig is not YAML, or does not have the shape of a kubeconfig. */
  | 'ConfigMalformed'
  | 'ContextMissing'
  | 'ClusterMissing'
  | 'UserMissing'
  /** The kubeconfig names a file, e.g. a certificate, that this process cannot read. */
  | 'FileUnreadable'
  /** The process does not run in a pod, or the pod has no service account. */
  | 'NotInCluster'
  | 'PluginMissing'
  | 'PluginFailed'

const remedies: Record<ConnectionErrorCode, Remedy> = {
  ConfigMissing: 'stop',
  ConfigUnreadable: 'stop',
  ConfigMalformed: 'stop',
  ContextMissing: 'stop',
  ClusterMissing: 'stop',
  UserMissing: 'stop',
  FileUnreadable: 'retry',
  NotInCluster: 'stop',
  PluginMissing: 'stop',
  PluginFailed: 'retry',
}

export class ConnectionError extends CodedError<ConnectionErrorCode> {
  override readonly name = 'ConnectionError'

  constructor(code: ConnectionErrorCode, message: string, cause?: unknown) {
    super({ code, message, remedy: remedies[code], cause })
  }
}
