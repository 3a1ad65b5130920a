// Does a store come through what nobody should do to it, on the server in this process?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeWorldFaults } from './stories/world-faults.ts'

describeWorldFaults(EmbeddedStoryServer.start)
