// Steering annotations of a resource, on a real API server.
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeSteering } from './stories/steering.ts'

const cluster = attachToControlPlane()

describeSteering(() => RealStoryServer.start(cluster))
