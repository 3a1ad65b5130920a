// Values that the embedded server rewrites: the operator stays idle. This server has no webhooks.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeRewrittenValues } from './stories/rewritten-values.ts'

describeRewrittenValues({ start: EmbeddedStoryServer.start })
