// One writer among replicas, on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeLeadership } from './stories/leadership.ts'

describeLeadership(EmbeddedStoryServer.start, { slackMs: 3_000 })
