// Watched kinds reconcile the resources that refer to them, and Secrets stay out of memory; on a real API server.
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeWatches } from './stories/watches.ts'

const cluster = attachToControlPlane()

describeWatches(() => RealStoryServer.start(cluster))
