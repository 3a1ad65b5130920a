// One writer among replicas, on a real API server.
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeLeadership } from './stories/leadership.ts'

const cluster = attachToControlPlane()

describeLeadership(() => RealStoryServer.start(cluster), {})
