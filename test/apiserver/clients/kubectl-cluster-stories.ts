// Stories of kubectl on a running cluster, with controllers and a node for its pods.
// Commands in the order in which users run them. Both servers run them all; kubectl itself waits for effects.
import type { Command } from './kubectl.ts'
import { of } from './kubectl-stories.ts'

const store = `apiVersion: apps/v1
kind: StatefulSet
metadata: { name: store }
spec:
  replicas: 2
  serviceName: store
  selector: { matchLabels: { app: store } }
  template:
    metadata: { labels: { app: store } }
    spec: { containers: [{ name: store, image: "store:1", volumeMounts: [{ name: data, mountPath: /data }] }] }
  volumeClaimTemplates:
  - metadata: { name: data }
    spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`

const agent = `apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template:
    metadata: { labels: { app: agent } }
    spec: { containers: [{ name: agent, image: "agent:1" }] }
`

const cart = `apiVersion: data.konverge.dev/v1alpha1
kind: ReplicatedKVStore
metadata: { name: cart }
spec: { image: "valkey/valkey:8.0", replicas: 2 }
`

/** Compares only the last line of a command's output. */
function gradually(line: string): Command {
  return { ...of(line), isGradual: true }
}

/** Commands by story. */
export const clusterStories: Readonly<Record<string, readonly Command[]>> = {
  'rolls out, and back': [
    of('create deployment web --image=web:1 --replicas=3'),
    gradually('rollout status deploy/web --timeout=180s'),
    of('wait deploy/web --for=condition=Available --timeout=180s'),
    of('get deploy,rs,pods -o wide'),
    of('get all'),
    of('describe deploy web'),
    of('events --for=deployment/web'),
    of('set image deploy/web web=web:2'),
    gradually('rollout status deploy/web --timeout=180s'),
    of('annotate deploy web kubernetes.io/change-cause=second'),
    of('rollout history deploy/web'),
    of('rollout history deploy/web --revision=2'),
    of('rollout undo deploy/web'),
    gradually('rollout status deploy/web --timeout=180s'),
    of('rollout history deploy/web'),
    of('rollout undo deploy/web --to-revision=9'),
    of('rollout restart deploy/web'),
    gradually('rollout status deploy/web --timeout=180s'),
    of('rollout pause deploy/web'),
    of('rollout restart deploy/web'),
    of('rollout resume deploy/web'),
    of('scale deploy/web --replicas=1'),
    of('wait deploy/web --for=jsonpath={.status.replicas}=1 --timeout=180s'),
    of('autoscale deploy web --min=1 --max=3 --cpu=50%'),
    of('get deploy web'),
  ],
  'empties a node, and takes it back': [
    of(
      'get nodes --no-headers -o custom-columns=NAME:.metadata.name,READY:.status.conditions[?(@.type=="Ready")].status',
    ),
    of('drain node-0 --pod-selector=app=web'),
    of('cordon node-0'),
    of('get pods -l app=web -o jsonpath={.items[*].status.phase}'),
    of('uncordon node-0'),
    gradually('rollout status deploy/web --timeout=180s'),
    of('create pdb guard --selector=app=web --min-available=1'),
    of('wait pdb/guard --for=jsonpath={.status.currentHealthy}=1 --timeout=180s'),
    of('get pdb guard'),
    of('drain node-0 --pod-selector=app=web --timeout=1s'),
    of('delete pdb guard'),
    of('uncordon node-0'),
  ],
  'deletes owners, with what they own and without': [
    of('delete deploy web --cascade=orphan'),
    of('get deploy web'),
    of('get rs -l app=web --no-headers --sort-by=.metadata.annotations.deployment\\.kubernetes\\.io/revision'),
    gradually('delete rs -l app=web --cascade=foreground'),
    of('get pods -l app=web'),
    of('create namespace short'),
    of('create configmap inside --namespace=short --from-literal=a=1'),
    of('delete namespace short'),
    of('get namespace short'),
    of('get configmap inside --namespace=short'),
  ],
  'runs single pods, and finds them': [
    of('run one --image=one:1 --labels=app=one --port=80'),
    of('wait pod/one --for=condition=Ready --timeout=180s'),
    of('get pod one -o wide'),
    of('get pods --field-selector=status.phase=Running,spec.nodeName=node-0 -l app=one -o name'),
    of('get pods --field-selector=status.phase=Failed'),
    of('expose pod one --name=door'),
    of('get svc door'),
    of('get pod one -o jsonpath={.status.conditions[?(@.type=="Ready")].status}'),
    of('delete pod one'),
    of('wait pod/one --for=delete --timeout=180s'),
    of('get pods'),
  ],
  'keeps sets of pods': [
    of('apply -f -', store),
    gradually('rollout status sts/store --timeout=180s'),
    of('get sts,pods,pvc'),
    of('describe sts store'),
    of('set image sts/store store=store:2'),
    gradually('rollout status sts/store --timeout=180s'),
    of('rollout history sts/store'),
    of('rollout undo sts/store'),
    gradually('rollout status sts/store --timeout=180s'),
    of('rollout restart sts/store'),
    gradually('rollout status sts/store --timeout=180s'),
    of('scale sts store --replicas=1'),
    of('wait pod/store-1 --for=delete --timeout=180s'),
    of('delete sts store --cascade=orphan'),
    of('get pods -l app=store'),
    of('delete pod store-0'),
    of('delete pvc --all'),
    of('apply -f -', agent),
    gradually('rollout status ds/agent --timeout=180s'),
    of('get ds agent -o wide'),
    of('rollout history ds/agent'),
    of('rollout restart ds/agent'),
    gradually('rollout status ds/agent --timeout=180s'),
    of('delete ds agent'),
  ],
}

/** Story of a store of the flagship, while its operator runs. */
export const storeStory: readonly Command[] = [
  of('api-resources --api-group=data.konverge.dev'),
  of('explain kv.spec.replicas'),
  of('apply --server-side -f -', cart),
  of('wait kv/cart --for=condition=Ready --timeout=180s'),
  of('get kv'),
  of('get kv cart -o wide'),
  of('apply --server-side --field-manager=other -f -', cart.replace('replicas: 2', 'replicas: 3')),
  of('scale kv cart --replicas=4'),
  of('wait kv/cart --for=jsonpath={.status.readyReplicas}=4 --timeout=180s'),
  of('wait kv/cart --for=condition=Ready --timeout=180s'),
  of('get sts,svc,pdb,sa -l app.kubernetes.io/instance=cart'),
  of('get kv cart -o jsonpath={.status.conditions[?(@.type=="Ready")].reason}'),
  of('patch kv cart --type=merge -p {"spec":{"replicas":0}}'),
  of('describe sts cart'),
]
