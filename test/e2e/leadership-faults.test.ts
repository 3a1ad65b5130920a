// Replicas that cannot reach the Lease, on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeLeadershipFaults } from './stories/leadership-faults.ts'

describeLeadershipFaults(EmbeddedStoryServer.start)
