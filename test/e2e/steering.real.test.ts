// Does the operator do on a real API server what the annotations of a resource ask for, and nothing else?
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeSteering } from './stories/steering.ts'

const cluster = attachToControlPlane()

describeSteering(() => RealStoryServer.start(cluster))
