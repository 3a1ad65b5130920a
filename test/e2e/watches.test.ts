// Do resources wake for what they refer to, and do Secrets stay out of memory, on the server in this process?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeWatches } from './stories/watches.ts'

describeWatches(() => EmbeddedStoryServer.start({ hasDefinitions: false }))
