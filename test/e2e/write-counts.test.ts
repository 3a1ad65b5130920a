// How much does the operator write for many stores on the server in this process?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeWriteCounts } from './stories/write-counts.ts'

describeWriteCounts({ start: EmbeddedStoryServer.start, stores: 40, namespaces: 4 })
