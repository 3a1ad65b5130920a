// Why is there no way to an API server? The kubeconfig, the service account or a credential plugin does not give what is
// needed; every code has one thing that a person can do about it.
import { CodedError, type Remedy } from '../base/errors.ts'

export type ConnectionErrorCode =
  /** No kubeconfig was found where one was looked for. */
  | 'ConfigMissing'
  | 'ConfigUnreadable'
  /** The kubeconfig is not YAML, or not of the shape it must have. */
  | 'ConfigMalformed'
  | 'ContextMissing'
  | 'ClusterMissing'
  | 'UserMissing'
  /** A file that the kubeconfig names, e.g. a certificate, cannot be read. */
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
