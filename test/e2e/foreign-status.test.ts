// Two controllers that write one status, on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeForeignStatus } from './stories/foreign-status.ts'

describeForeignStatus(() => EmbeddedStoryServer.start({ hasDefinitions: false }))
