// Flags of each program: loopback only, no leader election, no disk syncs. Request limits are so high that two
// processor cores are the
// limit, not a token bucket.
import type { Program } from './binaries.ts'
import type { Layout } from './layout.ts'
import { etcdPeerUrl, etcdUrl, filesOf, kubeconfigFile } from './layout.ts'

const requestsPerSecond = 1000
const requestBurst = 2000

export interface FlagChoices {
  readonly controllers: boolean
  readonly auditLog: boolean
  readonly apiServerFlags: readonly string[]
  /** Settings and stages of kwok. */
  readonly kwokFiles: readonly string[]
}

export function flagsOf(program: Exclude<Program, 'kubectl'>, layout: Layout, choices: FlagChoices): readonly string[] {
  switch (program) {
    case 'etcd':
      return etcdFlags(layout)
    case 'kube-apiserver':
      return apiServerFlags(layout, choices)
    case 'kube-controller-manager':
      return controllerManagerFlags(layout)
    case 'kube-scheduler':
      return [`--config=${filesOf(layout).schedulerConfiguration}`, '--secure-port=0']
    case 'kwok':
      return kwokFlags(layout, choices.kwokFiles)
  }
}

function etcdFlags(layout: Layout): readonly string[] {
  return [
    `--data-dir=${filesOf(layout).etcdData}`,
    `--listen-client-urls=${etcdUrl(layout)}`,
    `--advertise-client-urls=${etcdUrl(layout)}`,
    `--listen-peer-urls=${etcdPeerUrl(layout)}`,
    `--initial-advertise-peer-urls=${etcdPeerUrl(layout)}`,
    `--initial-cluster=default=${etcdPeerUrl(layout)}`,
    '--unsafe-no-fsync',
    '--quota-backend-bytes=4294967296',
    '--log-level=warn',
  ]
}

function apiServerFlags(layout: Layout, choices: FlagChoices): readonly string[] {
  const files = filesOf(layout)
  const audit = [
    `--audit-policy-file=${files.auditPolicy}`,
    `--audit-log-path=${files.auditLog}`,
    // In megabytes; a rotation would hide events from the reader.
    '--audit-log-maxsize=100000',
  ]
  return [
    `--etcd-servers=${etcdUrl(layout)}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${layout.apiServerPort}`,
    `--cert-dir=${files.certificates}`,
    // A loopback address may not be an endpoint of the Service "kubernetes".
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${files.serviceAccountKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    `--kubelet-client-certificate=${files.kubeletReader}`,
    `--kubelet-client-key=${files.kubeletReaderKey}`,
    '--authorization-mode=RBAC',
    `--token-auth-file=${files.tokens}`,
    '--allow-privileged=true',
    // Zero means no limit; allowed only without priority and fairness.
    '--enable-priority-and-fairness=false',
    '--max-requests-inflight=0',
    '--max-mutating-requests-inflight=0',
    '--profiling=false',
    // Without controllers the default service accounts are missing, and this plugin would reject every pod.
    ...(choices.controllers ? [] : ['--disable-admission-plugins=ServiceAccount']),
    ...(choices.auditLog ? audit : []),
    ...choices.apiServerFlags,
  ]
}

function controllerManagerFlags(layout: Layout): readonly string[] {
  const files = filesOf(layout)
  const parallel = ['statefulset', 'deployment', 'replicaset', 'job', 'endpoint', 'service-endpoint', 'namespace']
  return [
    `--kubeconfig=${kubeconfigFile(layout, 'system:kube-controller-manager')}`,
    // Each controller has its own service account, as in a real cluster; the manager's own role has few permissions.
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${files.serviceAccountKey}`,
    `--root-ca-file=${files.certificateAuthority}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--profiling=false',
    `--kube-api-qps=${requestsPerSecond}`,
    `--kube-api-burst=${requestBurst}`,
    '--enable-hostpath-provisioner=true',
    // Host-path volumes are never attached, and kwok expands them (stages/volume-expand.yaml).
    '--controllers=*,-persistentvolume-attach-detach-controller,-persistentvolume-expander-controller',
    ...parallel.map((name) => `--concurrent-${name}-syncs=20`),
  ]
}

export function schedulerConfiguration(layout: Layout): object {
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    leaderElection: { leaderElect: false },
    enableProfiling: false,
    clientConnection: {
      kubeconfig: kubeconfigFile(layout, 'system:kube-scheduler'),
      qps: requestsPerSecond,
      burst: requestBurst,
    },
  }
}

function kwokFlags(layout: Layout, files: readonly string[]): readonly string[] {
  return [
    `--kubeconfig=${kubeconfigFile(layout, 'kwok')}`,
    // Other nodes may join, for example one with a real kubelet.
    '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
    '--node-lease-duration-seconds=40',
    ...files.map((file) => `--config=${file}`),
  ]
}
