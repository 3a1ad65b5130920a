// Do replicas agree on one writer, on a real cluster?
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeLeadership } from './stories/leadership.ts'

const cluster = attachToControlPlane()

// Processes start, end and are given their turns as the machine pleases.
describeLeadership(() => RealStoryServer.start(cluster), { slackMs: 10_000 })
