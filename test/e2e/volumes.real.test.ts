// What becomes of the volumes of a store on a real cluster, when it shrinks, grows and comes again?
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeVolumes } from './stories/volumes.ts'

const cluster = attachToControlPlane()

describeVolumes(() => RealStoryServer.start(cluster))
