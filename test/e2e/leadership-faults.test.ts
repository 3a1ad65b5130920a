// What do replicas do when they cannot reach the lease, on the server in this process?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeLeadershipFaults } from './stories/leadership-faults.ts'

describeLeadershipFaults(EmbeddedStoryServer.start)
