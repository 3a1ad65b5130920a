// Field ownership through edits of several managers, on a real API server.
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeOwnershipHistories } from './stories/ownership-histories.ts'

const cluster = attachToControlPlane()

describeOwnershipHistories(() => RealStoryServer.start(cluster))
