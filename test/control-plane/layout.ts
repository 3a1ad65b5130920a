// Where does one control plane keep its files, and on which ports does it listen? Everything it writes is below one
// folder, except the host-path volumes, whose place Kubernetes fixes; those carry the mark of this control plane.
import { join } from 'node:path'
import type { UserName } from './users.ts'

export interface Layout {
  readonly folder: string
  readonly apiServerPort: number
  readonly etcdPort: number
  readonly etcdPeerPort: number
  /** Twelve hexadecimal digits; see markVolumes in kubernetes/main.go. */
  readonly volumeMark: string
}

/** The folder of the host-path provisioner, fixed in kubernetes/pkg/volume/hostpath. */
export const volumesFolder = '/tmp/hostpath_pv'

/** The start of the name of each control plane's folder, below the folder for temporary files. */
export const folderPrefix = 'konverge-control-plane-'

/** Names the process to which the folder belongs; see leftovers.ts. */
export const ownerFile = 'owner.json'

/** The certificate by which the API server reads logs from kubelets, beside the kubeconfigs. */
export const kubeletReaderFile = 'kubelet-reader.crt'

export const apiServerUrl = (layout: Layout) => `https://127.0.0.1:${layout.apiServerPort}`
export const etcdUrl = (layout: Layout) => `http://127.0.0.1:${layout.etcdPort}`
export const etcdPeerUrl = (layout: Layout) => `http://127.0.0.1:${layout.etcdPeerPort}`

export const filesOf = (layout: Layout) => ({
  certificates: join(layout.folder, 'certificates'),
  /** The API server writes its self-signed certificate here at its first start, with the authority behind it. */
  certificateAuthority: join(layout.folder, 'certificates', 'apiserver.crt'),
  tokens: join(layout.folder, 'tokens.csv'),
  serviceAccountKey: join(layout.folder, 'service-account.key'),
  kubeletReader: join(layout.folder, kubeletReaderFile),
  kubeletReaderKey: join(layout.folder, 'kubelet-reader.key'),
  auditPolicy: join(layout.folder, 'audit-policy.json'),
  auditLog: join(layout.folder, 'audit.log'),
  schedulerConfiguration: join(layout.folder, 'scheduler.json'),
  etcdData: join(layout.folder, 'etcd'),
  kubectlCache: join(layout.folder, 'kubectl-cache'),
})

export function kubeconfigFile(layout: Layout, user: UserName): string {
  return join(layout.folder, `${user.replaceAll(':', '-')}.kubeconfig`)
}

/** The start of the name of each volume folder that belongs to this control plane. */
export function volumePrefix({ volumeMark }: Pick<Layout, 'volumeMark'>): string {
  return `${volumeMark.slice(0, 8)}-${volumeMark.slice(8, 12)}-`
}
