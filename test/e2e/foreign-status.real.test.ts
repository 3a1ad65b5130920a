// Two controllers that write one status, on a real API server.
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeForeignStatus } from './stories/foreign-status.ts'

const cluster = attachToControlPlane()

describeForeignStatus(() => RealStoryServer.start(cluster))
