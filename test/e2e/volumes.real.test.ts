// Volumes of a store that shrinks, grows and is created again, on a real API server.
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeVolumes } from './stories/volumes.ts'

const cluster = attachToControlPlane()

describeVolumes(() => RealStoryServer.start(cluster))
