// A cdk8s app that uses the constructs without the operator. Its manifests equal those that the operator applies for
// kv-store.yaml. Outside this repository the import reads: from 'konverge/constructs'.
import { App, Chart } from 'cdk8s'
import { KvCluster } from '../../constructs/index.ts'

const app = new App()
const chart = new Chart(app, 'cart', { namespace: 'shop' })
new KvCluster(chart, 'cart', {
  name: 'cart',
  image: 'valkey/valkey:8.0',
  replicas: 3,
  storage: { size: '2Gi' },
})
app.synth()
