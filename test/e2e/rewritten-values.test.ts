// Does the operator rest when the server in this process spells things its own way? It has no webhooks.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeRewrittenValues } from './stories/rewritten-values.ts'

describeRewrittenValues({ start: EmbeddedStoryServer.start })
