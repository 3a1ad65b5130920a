// Stories of kubectl: commands in the order in which users run them, with their files. Both servers run them all.
import type { Command } from './kubectl.ts'

const shop = `apiVersion: apps/v1
kind: Deployment
metadata: { name: shop, labels: { app: shop } }
spec:
  replicas: 2
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec: { containers: [{ name: shop, image: "shop:1", ports: [{ containerPort: 80 }] }] }
---
apiVersion: v1
kind: Service
metadata: { name: shop }
spec: { selector: { app: shop }, ports: [{ port: 80 }] }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: store }
spec:
  replicas: 3
  serviceName: shop
  selector: { matchLabels: { app: store } }
  template:
    metadata: { labels: { app: store } }
    spec: { containers: [{ name: store, image: "store:1", volumeMounts: [{ name: data, mountPath: /data }] }] }
  volumeClaimTemplates:
  - metadata: { name: data }
    spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: claim }
spec: { storageClassName: standard, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`

const pod = `apiVersion: v1
kind: Pod
metadata: { name: lonely, labels: { tier: one } }
spec:
  automountServiceAccountToken: false
  containers: [{ name: main, image: "lonely:1", env: [{ name: A, value: b }], ports: [{ containerPort: 80 }] }]
`

const node = `apiVersion: v1
kind: Node
metadata: { name: host, labels: { zone: a } }
spec: { podCIDR: 10.1.0.0/24 }
`

/** Returns objects of v1, each named by its position. */
function listOf(...items: readonly string[]): string {
  const written = items.map((item, index) => `- { apiVersion: v1, metadata: { name: listed-${index} }, ${item} }\n`)
  return `apiVersion: v1\nkind: List\nitems:\n${written.join('')}`
}

function settings(a: string): string {
  return `apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { a: "${a}", b: "2" }
`
}

const gadgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gadgets.clients.konverge.dev }
spec:
  group: clients.konverge.dev
  scope: Namespaced
  names: { plural: gadgets, singular: gadget, kind: Gadget, shortNames: [gd] }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {}, scale: { specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas } }
    additionalPrinterColumns: [{ name: Size, type: integer, jsonPath: .spec.replicas }]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: { type: object, properties: { replicas: { type: integer }, color: { type: string, enum: [red, blue] } } }
          status: { type: object, x-kubernetes-preserve-unknown-fields: true }
`

function gadget(spec: string): string {
  return `apiVersion: clients.konverge.dev/v1
kind: Gadget
metadata: { name: one }
spec: ${spec}
`
}

/**
 * Commands by story. `of` splits at blanks; arguments with blanks are passed as a list.
 * Events show no warnings: a busy real server warns of a Service (`ClusterIPNotAllocated`) whose address its own repair
 * has not seen yet.
 */
export const stories: Readonly<Record<string, readonly Command[]>> = {
  'applies, and says what changed': [
    of('apply -f -', shop),
    of('apply -f -', shop),
    of('apply -f -', settings('1')),
    of('apply -f -', settings('3')),
    of('diff -f -', settings('4')),
    of('diff -f -', settings('3')),
    of('apply -f -', listOf('kind: ConfigMap, data: { a: "1" }', 'kind: Secret, stringData: { a: "1" }')),
    of('apply -f -', listOf('kind: ConfigMap, data: { a: 1 }, extra: true', 'kind: Secret')),
    of('apply --server-side -f -', listOf('kind: ConfigMap, data: { b: "1" }', 'kind: Secret')),
    of('apply -f - --dry-run=server', settings('4')),
    of('apply -f -', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: wrong }\ndata: { a: 1 }\nextra: true\n'),
    of('apply view-last-applied configmap settings'),
  ],
  'applies on the server, with conflicts': [
    of('apply --server-side --field-manager=first -f -', settings('1').replace('settings', 'shared')),
    of('apply --server-side --field-manager=second -f -', settings('2').replace('settings', 'shared')),
    of(
      'apply --server-side --field-manager=second --force-conflicts -f -',
      settings('2').replace('settings', 'shared'),
    ),
    of('get configmap shared -o yaml --show-managed-fields'),
  ],
  'shows objects in every form': [
    of('get deploy,sts,svc,pvc,cm'),
    of('get deploy,sts,svc,pvc -o wide'),
    of('get deploy shop -o yaml'),
    of('get svc shop -o json'),
    of('get sts,svc -o name'),
    of('get sts store -o jsonpath={.spec.replicas}'),
    of('get sts -o custom-columns=NAME:.metadata.name,SIZE:.spec.replicas'),
    of('get deploy -l app=shop --show-labels --no-headers'),
    of('get deploy none'),
    of('get nothing'),
    of('describe deploy shop'),
    of('describe sts store'),
    of('describe svc shop --show-events=false'),
    of('describe cm settings'),
    of('describe deploy none'),
    of('get events --field-selector=type=Normal'),
    of('get sts,deploy --sort-by=.metadata.name -o name'),
    of('get pods,sts --field-selector=metadata.name=store -o name'),
    of('get deploy --field-selector=spec.replicas=2'),
    of('get deploy shop -o go-template={{.spec.replicas}}'),
    of('get deploy shop -o jsonpath-as-json={.metadata.labels}'),
    of('get deploy shop -o jsonpath={.spec.'),
    of('get deploy,sts -A -o name'),
    of('get sts store --subresource=scale -o yaml'),
    of('get deploy shop --output-watch-events'),
    of('get deploy -l app!=shop'),
    of('get deploy -l app=='),
  ],
  'changes objects': [
    of('create configmap more --from-literal=x=1'),
    of('create configmap more --from-literal=x=1'),
    of('create deployment web --image=web:1 --replicas=3'),
    of('create secret generic hidden --from-literal=key=value'),
    of('create job once --image=once:1'),
    of('create cronjob nightly --image=once:1 --schedule=0_0_*_*_*'),
    of('create role reader --verb=get,list --resource=pods'),
    of('create rolebinding readers --role=reader --user=jane'),
    of('create -f -', settings('1').replace('settings', 'made')),
    of('create -f -', settings('1').replace('settings', 'made')),
    of('create --edit=false --save-config -f -', settings('1').replace('settings', 'saved')),
    of('create clusterrole client-reader --verb=get --resource=pods --dry-run=server -o yaml'),
    of('create token none'),
    of('create quota none --hard=pods=1 --dry-run=client -o yaml'),
    of('scale deploy web --replicas=5'),
    of('scale sts store --replicas=1 --current-replicas=9'),
    of('scale deploy none --replicas=1'),
    of('set image deploy/web web=web:2'),
    of('set env deploy/web MODE=fast'),
    of('label cm more tier=one'),
    of('label cm more tier=two'),
    of('label cm more tier=two --overwrite'),
    of('annotate cm more note=yes'),
    of('annotate cm more note-'),
    of('patch cm more -p {"data":{"y":"2"}}'),
    of('patch cm more --type=merge -p {"data":{"x":null}}'),
    of('patch cm more --type=json -p [{"op":"add","path":"/data/z","value":"3"}]'),
    of('patch cm more --type=json -p [{"op":"remove","path":"/data/none"}]'),
    of('patch deploy web -p {"spec":{"template":{"spec":{"containers":[{"name":"web","tty":true}]}}}}'),
    of('get cm more -o yaml'),
    of('expose deploy web --port=80 --name=door'),
    { args: ['edit', 'cm', 'more'], editor: 'sed -i s/yes/no/;s/two/three/' },
    of('replace -f -', settings('9')),
    { args: ['edit', 'cm', 'more'], editor: 'true' },
    { args: ['edit', 'cm', 'more'], editor: 'sed -i s/^data:/extra:/' },
    { args: ['edit', 'cm', 'none'], editor: 'true' },
    of('annotate --overwrite cm more note=again --field-manager=me'),
    of('label cm --all of=all'),
    of('label cm more bad=a=b'),
    of('patch cm none -p {}'),
    of('patch cm more -p {"data":{"y":2}}'),
    of('patch deploy web -p {"spec":{"replicas":"many"}}'),
    of('patch deploy web -p {"spec":{"template":[]}}'),
    of('patch deploy web -p {"spec":{"strange":1}}'),
    of('rollout history deploy/web'),
    of('rollout pause deploy/web'),
    of('rollout resume deploy/web'),
    of('get deploy web -o jsonpath={.spec.template.spec.containers[0]}'),
  ],
  'knows pods, nodes, namespaces and quick helpers': [
    of('create serviceaccount default'),
    of('apply -f -', pod),
    of('get pods -o wide'),
    of('describe pod lonely'),
    of('get pod lonely -o yaml'),
    of('label pod lonely tier-'),
    of('set image pod/lonely main=lonely:2'),
    of('wait pod/lonely --for=condition=Ready --timeout=1s'),
    of('delete pod lonely --wait=false'),
    of('delete pod lonely --grace-period=0 --force'),
    of('apply -f -', node),
    of('get node host -o wide'),
    of('cordon host'),
    of('taint node host dedicated=db:NoSchedule'),
    of('uncordon host'),
    of('delete node host'),
    of('get namespace clients -o yaml'),
    of('get ns none clients'),
    of('autoscale deploy web --max=5'),
    of('create pdb guard --selector=app=web --min-available=1'),
    of('create ingress front --rule=web.example/*=door:80'),
    of('create priorityclass client-high --value=7'),
    of('get hpa,pdb,ingress'),
    of('describe hpa web'),
    of('describe pdb guard'),
    of('describe ingress front'),
    of('describe cronjob nightly'),
    of('describe secret hidden'),
    of('describe role reader'),
    of('describe rolebinding readers'),
    of('get role,rolebinding,cronjob,job -o wide'),
    of('delete priorityclass client-high'),
    of('get --raw /healthz'),
    of('get --raw /api/v1/namespaces/clients/configmaps/none'),
    of('get all'),
    of('apply --prune -l app=none -f -', settings('1')),
    of('delete -f -', settings('1')),
    of(
      'auth reconcile -f -',
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: { name: kept }\nrules: [{ apiGroups: [""], resources: [pods], verbs: [get] }]\n',
    ),
    of('rollout status deploy/web --timeout=1s'),
    of('rollout restart deploy/web --dry-run=server'),
    of('rollout undo deploy/web'),
    of('auth whoami --as=jane'),
    of('events --types=Normal'),
    of('events --for=deployment/web'),
    of('top pods'),
    of('top nodes'),
    of('run quick --image=quick:1 --restart=Never --dry-run=server -o yaml'),
    of('run quick --image=quick:1 --labels=app=quick --port=80 --expose --dry-run=client -o name'),
    of('logs none'),
    of('exec none -- ls'),
    of('explain gadget'),
    of('get cm --sort-by=.metadata.name -o name'),
    of('get cm --chunk-size=1 -o name'),
  ],
  'works with custom kinds': [
    of('apply -f -', gadgets),
    of('wait --for=condition=established crd/gadgets.clients.konverge.dev --timeout=180s'),
    of('apply -f -', gadget('{ replicas: 3, color: green }')),
    of('apply -f -', gadget('{ replicas: 3, colour: red }')),
    of('apply -f -', gadget('{ replicas: 3, color: red }')),
    of('apply --server-side --field-manager=other -f -', gadget('{ replicas: 4 }')),
    of('get gd'),
    of('get gd one -o yaml'),
    of('scale gd one --replicas=5'),
    of('patch gd one --subresource=status --type=merge -p {"status":{"phase":"Ready","replicas":5}}'),
    of('patch gd one -p {"spec":{"replicas":1}}'),
    of('wait gd/one --for=jsonpath={.status.phase}=Ready --timeout=5s'),
    of('wait gd/one --for=jsonpath={.status.phase}=Gone --timeout=1s'),
    of('describe gd one'),
    of('describe crd gadgets.clients.konverge.dev'),
    of('delete gd one'),
    of('delete crd gadgets.clients.konverge.dev'),
    of('wait --for=delete crd/gadgets.clients.konverge.dev --timeout=180s'),
  ],
  'asks what it may do, and what there is': [
    of('auth can-i create pods'),
    of('auth can-i create pods --as=jane'),
    of('auth can-i list pods --as=jane'),
    of('auth can-i delete deployments.apps --as=jane'),
    of('auth can-i --list --as=jane'),
    of('get cm --as=jane'),
    of('api-resources --api-group=apps'),
    of('api-resources --api-group=rbac.authorization.k8s.io'),
    of('explain deployment.spec.strategy'),
    of('explain pod.spec.nodeName'),
    of('explain statefulset --recursive'),
    of('explain deployment.spec.nothing'),
    of('explain cm --api-version=v2'),
    of('auth can-i get pods --subresource=log'),
    of('auth can-i * *'),
    of('auth can-i get /healthz --as=jane'),
    of('auth can-i use nothing'),
    of('api-resources --namespaced=true --api-group=apps -o wide'),
    of('api-resources --verbs=deletecollection --api-group=policy -o name'),
    of('api-resources --categories=all --no-headers --api-group=batch'),
    of('cluster-info'),
    of('version'),
  ],
  deletes: [
    of('delete cm more shared'),
    of('delete cm none'),
    of('delete cm none --ignore-not-found'),
    of('delete svc,secret --all'),
    of('delete job once --cascade=orphan --wait=false'),
    of('delete deploy web --cascade=background --wait=false'),
    of('delete sts store --grace-period=0 --force'),
    of('delete deploy -l app=shop'),
    of('get deploy,sts,svc,cm'),
  ],
}

export function of(line: string, stdin?: string): Command {
  // Underscores stand for the blanks of a schedule.
  return {
    args: line.split(' ').map((word) => (word.startsWith('--schedule') ? word.replaceAll('_', ' ') : word)),
    stdin,
  }
}
