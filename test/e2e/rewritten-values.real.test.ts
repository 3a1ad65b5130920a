// Values that a real API server, or a webhook, rewrites: the operator stays idle.
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { RewritingWebhook } from './rewriting-webhook.ts'
import { describeRewrittenValues } from './stories/rewritten-values.ts'

const cluster = attachToControlPlane()

describeRewrittenValues({
  start: () => RealStoryServer.start(cluster),
  rewrite: async (namespace) => {
    const webhook = new RewritingWebhook(cluster, namespace)
    await webhook.start()
    return () => webhook.stop()
  },
})
