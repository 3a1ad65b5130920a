// Do replicas agree on one writer, on the server in this process?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeLeadership } from './stories/leadership.ts'

describeLeadership(EmbeddedStoryServer.start, { slackMs: 3_000 })
