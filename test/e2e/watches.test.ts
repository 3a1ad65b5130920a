// Watched kinds reconcile the resources that refer to them, and Secrets stay out of memory; on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeWatches } from './stories/watches.ts'

describeWatches(() => EmbeddedStoryServer.start({ hasDefinitions: false }))
