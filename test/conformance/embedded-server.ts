// Access of the suite to the embedded API server, through its fetch-like handler.
import { Cluster } from '../../src/apiserver/cluster.ts'
import { handleFetch } from '../../src/apiserver/fetch-handler.ts'
import { KubeletClient } from '../../src/apiserver/kubelet-client.ts'
import { systemClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { FetchedServer } from './fetched-server.ts'

const tokens = { admin: 'admin-token', nobody: 'nobody-token' }

/** Starts a separate control plane with every controller. */
export function embeddedServer(): FetchedServer {
  const cluster = new Cluster({
    clock: systemClock,
    random: seededRandom(1),
    kubelets: new KubeletClient(),
    tokens: new Map([
      [tokens.admin, { name: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] }],
      [tokens.nobody, { name: 'nobody', uid: 'nobody', groups: ['system:authenticated'] }],
    ]),
  })
  return new FetchedServer({
    name: 'embedded',
    tokens,
    send: (target, message) => handleFetch(cluster.server, new Request(`http://embedded${target}`, message)),
  })
}
