// A status that two controllers write, on the server in this process.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeForeignStatus } from './stories/foreign-status.ts'

describeForeignStatus(() => EmbeddedStoryServer.start({ hasDefinitions: false }))
