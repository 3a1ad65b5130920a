// Paths and ports of one control plane. It writes everything below one folder, except host-path volumes, whose location
// Kubernetes
// fixes; the control plane's mark prefixes their names.
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

/** Folder of the host-path provisioner, fixed in kubernetes/pkg/volume/hostpath. */
export const volumesFolder = '/tmp/hostpath_pv'

/** Name prefix of each control plane's folder in the temporary directory. */
export const folderPrefix = 'konverge-control-plane-'

/** File that names the owning process of the folder; see leftovers.ts. */
export const ownerFile = 'owner.json'

/** Certificate with which the API server reads logs from kubelets, beside the kubeconfigs. */
export const kubeletReaderFile = 'kubelet-reader.crt'

export const apiServerUrl = (layout: Layout) => `https://127.0.0.1:${layout.apiServerPort}`
export const etcdUrl = (layout: Layout) => `http://127.0.0.1:${layout.etcdPort}`
export const etcdPeerUrl = (layout: Layout) => `http://127.0.0.1:${layout.etcdPeerPort}`

export const filesOf = (layout: Layout) => ({
  certificates: join(layout.folder, 'certificates'),
  /** The API server writes its self-signed certificate here at its first start, including the authority. */
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

/** Returns the name prefix of the volume folders of this control plane. */
export function volumePrefix({ volumeMark }: Pick<Layout, 'volumeMark'>): string {
  return `${volumeMark.slice(0, 8)}-${volumeMark.slice(8, 12)}-`
}
