// Whose is which field, on the server in this process?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeOwnershipHistories } from './stories/ownership-histories.ts'

describeOwnershipHistories(EmbeddedStoryServer.start)
