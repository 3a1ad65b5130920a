// Test pods for comparison with the control plane: realistic ones that together have nearly every field.
import type { JsonObject } from '../../../src/base/json.ts'

const metadata = { name: 'web-0', namespace: 'shop', labels: { app: 'web' }, annotations: { note: 'x' } }

/** Pod of a cautious operator. */
const careful: JsonObject = {
  metadata,
  spec: {
    serviceAccountName: 'store',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 45,
    priorityClassName: 'high',
    runtimeClassName: 'gvisor',
    preemptionPolicy: 'Never',
    hostname: 'web-0',
    subdomain: 'web',
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      fsGroup: 1000,
      supplementalGroups: [2000, 3000],
      supplementalGroupsPolicy: 'Merge',
      fsGroupChangePolicy: 'OnRootMismatch',
      seLinuxChangePolicy: 'Recursive',
      seccompProfile: { type: 'RuntimeDefault' },
      appArmorProfile: { type: 'Localhost', localhostProfile: 'store' },
      sysctls: [
        { name: 'net.core.somaxconn', value: '1024' },
        { name: 'kernel.shmmax', value: '1' },
      ],
    },
    containers: [
      {
        name: 'kv',
        image: 'registry.example.com:5000/kv/server:1.2',
        command: ['/kv'],
        args: ['--data=/data'],
        workingDir: '/data',
        ports: [
          { name: 'client', containerPort: 6379 },
          { name: 'peer', containerPort: 7000, protocol: 'TCP', hostPort: 7000, hostIP: '10.0.0.1' },
        ],
        env: [
          { name: 'A', value: 'b' },
          { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'ZONE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['zone']" } } },
          { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
          { name: 'MEM', valueFrom: { resourceFieldRef: { resource: 'requests.memory', divisor: '1Mi' } } },
          { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'kv', key: 'password' } } },
          { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'kv', key: 'level', optional: true } } },
          { name: 'FILED', valueFrom: { fileKeyRef: { volumeName: 'tmp', path: 'env', key: 'FILED' } } },
        ],
        envFrom: [{ prefix: 'X_', configMapRef: { name: 'more' } }, { secretRef: { name: 'most', optional: true } }],
        resources: {
          requests: { cpu: '100m', memory: '64Mi', 'example.com/gpu': '1' },
          limits: { cpu: '1', memory: '128Mi', 'example.com/gpu': '1', 'hugepages-2Mi': '4Mi' },
        },
        resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
        volumeMounts: [
          { name: 'data', mountPath: '/data', subPath: 'kv' },
          { name: 'config', mountPath: '/etc/kv', readOnly: true, recursiveReadOnly: 'IfPossible' },
          { name: 'tmp', mountPath: '/tmp', subPathExpr: '$(POD)', mountPropagation: 'HostToContainer' },
          { name: 'host', mountPath: '/host', mountPropagation: 'Bidirectional' },
        ],
        volumeDevices: [{ name: 'block', devicePath: '/dev/xvda' }],
        livenessProbe: { tcpSocket: { port: 'client' }, initialDelaySeconds: 3, terminationGracePeriodSeconds: 5 },
        readinessProbe: { exec: { command: ['kv', 'ping'] }, periodSeconds: 2, successThreshold: 2 },
        startupProbe: {
          httpGet: { path: '/ready', port: 8080, scheme: 'HTTPS', httpHeaders: [{ name: 'X-A', value: 'b' }] },
          failureThreshold: 30,
        },
        lifecycle: {
          preStop: { exec: { command: ['kv', 'leave'] } },
          postStart: { httpGet: { port: 'client', path: '/hello' } },
        },
        terminationMessagePolicy: 'FallbackToLogsOnError',
        imagePullPolicy: 'Always',
        securityContext: {
          privileged: true,
          runAsUser: 1000,
          readOnlyRootFilesystem: true,
          procMount: 'Default',
          capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] },
          seccompProfile: { type: 'Localhost', localhostProfile: 'profiles/kv.json' },
          appArmorProfile: { type: 'RuntimeDefault' },
        },
      },
      { name: 'side', image: 'busybox', livenessProbe: { grpc: { port: 9000, service: 'x' } } },
    ],
    initContainers: [
      { name: 'init', image: 'busybox:1', command: ['true'], volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }] },
      {
        name: 'proxy',
        image: 'proxy',
        restartPolicy: 'Always',
        startupProbe: { tcpSocket: { port: 1 } },
        ports: [{ containerPort: 15001, hostPort: 15001 }],
        lifecycle: { preStop: { sleep: { seconds: 5 } } },
      },
    ],
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } },
      { name: 'block', persistentVolumeClaim: { claimName: 'block-web-0', readOnly: true } },
      { name: 'config', configMap: { name: 'kv', defaultMode: 292, items: [{ key: 'a', path: 'b/c', mode: 256 }] } },
      { name: 'secret', secret: { secretName: 'kv', optional: true, items: [{ key: 'a', path: 'a' }] } },
      { name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } },
      { name: 'host', hostPath: { path: '/var/lib/kv', type: 'DirectoryOrCreate' } },
      {
        name: 'facts',
        downwardAPI: {
          items: [
            { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
            { path: 'cpu', resourceFieldRef: { containerName: 'kv', resource: 'limits.cpu', divisor: '1' }, mode: 256 },
          ],
        },
      },
      {
        name: 'all',
        projected: {
          sources: [
            { secret: { name: 'kv', items: [{ key: 'a', path: 'secret-a' }] } },
            { configMap: { name: 'kv', items: [{ key: 'a', path: 'config-a' }] } },
            { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
            { serviceAccountToken: { path: 'token', expirationSeconds: 3607, audience: 'kv' } },
          ],
        },
      },
      { name: 'share', nfs: { server: 'nfs.example.com', path: '/exports' } },
      { name: 'driver', csi: { driver: 'secrets.example.com', nodePublishSecretRef: { name: 'kv' } } },
      {
        name: 'scratch',
        ephemeral: {
          volumeClaimTemplate: {
            metadata: { labels: { a: 'b' } },
            spec: {
              accessModes: ['ReadWriteOnce'],
              storageClassName: 'fast',
              resources: { requests: { storage: '1Gi' } },
            },
          },
        },
      },
      { name: 'pages', image: { reference: 'pages:1', pullPolicy: 'IfNotPresent' } },
    ],
    imagePullSecrets: [{ name: 'registry' }],
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [
      { key: 'dedicated', operator: 'Equal', value: 'kv', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
    ],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }],
              matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }],
            },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 10, preference: { matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['4'] }] } },
        ],
      },
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'cache' } } } },
        ],
      },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            topologyKey: 'kubernetes.io/hostname',
            labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] },
            namespaces: ['shop'],
            namespaceSelector: { matchLabels: { team: 'a' } },
            matchLabelKeys: ['tier'],
            mismatchLabelKeys: ['tenant'],
          },
        ],
      },
    },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        minDomains: 2,
        nodeAffinityPolicy: 'Honor',
        nodeTaintsPolicy: 'Ignore',
        labelSelector: { matchLabels: { app: 'web' } },
        matchLabelKeys: ['version'],
      },
      { maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' },
    ],
    dnsPolicy: 'None',
    dnsConfig: {
      nameservers: ['10.0.0.10', 'fd00::10'],
      searches: ['shop.svc.cluster.local', '_srv.example.com.', '.'],
      options: [{ name: 'ndots', value: '2' }],
    },
    hostAliases: [{ ip: '127.0.0.1', hostnames: ['kv.local', 'kv'] }],
    readinessGates: [{ conditionType: 'example.com/ready' }],
    schedulingGates: [{ name: 'example.com/wait' }],
    overhead: { cpu: '10m', memory: '16Mi' },
    os: { name: 'linux' },
    activeDeadlineSeconds: 3600,
  },
}

/** Pod with access to the node. */
const hosted: JsonObject = {
  metadata: { name: 'agent', namespace: 'kube-system' },
  spec: {
    hostNetwork: true,
    hostPID: true,
    hostIPC: true,
    dnsPolicy: 'ClusterFirstWithHostNet',
    restartPolicy: 'OnFailure',
    nodeName: 'node-1',
    serviceAccount: 'agent',
    containers: [
      {
        name: 'agent',
        image: 'agent@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        ports: [{ containerPort: 9100 }, { containerPort: 9101, hostPort: 9101, name: 'x' }],
        resources: { limits: { cpu: '0.5', memory: '1.5Gi', 'ephemeral-storage': '100M' } },
        restartPolicy: 'OnFailure',
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [3, 4] } }],
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
    volumes: [{ name: 'empty' }, { name: 'sock', hostPath: { path: '/run/x.sock' } }],
    tolerations: [{ operator: 'Exists' }],
  },
}

const private_: JsonObject = {
  metadata: { name: 'private', namespace: 'shop' },
  spec: {
    hostUsers: false,
    shareProcessNamespace: true,
    hostnameOverride: 'a.example.com',
    restartPolicy: 'Never',
    containers: [
      {
        name: 'c',
        image: 'nginx:latest',
        securityContext: { procMount: 'Unmasked' },
        resizePolicy: [{ resourceName: 'memory', restartPolicy: 'NotRequired' }],
        lifecycle: { preStop: { sleep: { seconds: 0 } }, postStart: { tcpSocket: { port: 5 } } },
      },
    ],
  },
}

const plain: JsonObject = {
  metadata: { name: 'plain', namespace: 'shop' },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
}

export const podBases: readonly JsonObject[] = [careful, careful, careful, hosted, private_, plain]

export const podWords: readonly string[] = [
  'metadata.name',
  'metadata.labels',
  "metadata.annotations['a']",
  "metadata.name['a']",
  'spec.host',
  'spec.nodeName',
  'status.podIP',
  'status.phase',
  'limits.cpu',
  'limits.hugepages-2Mi',
  'requests.memory',
  'Always',
  'Never',
  'OnFailure',
  'Exists',
  'In',
  'Gt',
  'Lt',
  'NoExecute',
  'NotRequired',
  'RestartContainer',
  'Localhost',
  'Unconfined',
  'Unmasked',
  'Bidirectional',
  'Enabled',
  'None',
  'File',
  'UDP',
  'data',
  'tmp',
  'config',
  'kv',
  'init',
  '/data',
  '../x',
  '..x',
  'a/../b',
  '10.0.0.010',
  '::ffff:1.2.3.4',
  'FD00::0010',
  'net.ipv4.x',
  'net/ipv4/x',
  'zone',
  'DoNotSchedule',
  'a=b',
  ' padded ',
  'Strict',
  'linux',
  'web',
]
