// Destructive edits and deletions by users, on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeWorldFaults } from './stories/world-faults.ts'

describeWorldFaults(EmbeddedStoryServer.start)
