// Whose is which field, on a real cluster?
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeOwnershipHistories } from './stories/ownership-histories.ts'

const cluster = attachToControlPlane()

describeOwnershipHistories(() => RealStoryServer.start(cluster))
