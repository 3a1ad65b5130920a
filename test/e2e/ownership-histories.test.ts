// Field ownership through edits of several managers, on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeOwnershipHistories } from './stories/ownership-histories.ts'

describeOwnershipHistories(EmbeddedStoryServer.start)
