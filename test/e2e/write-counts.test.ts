// Number of writes for many stores on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeWriteCounts } from './stories/write-counts.ts'

describeWriteCounts({ start: EmbeddedStoryServer.start, stores: 40, namespaces: 4 })
