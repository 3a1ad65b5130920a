// Network partitions on the embedded server: the operator recovers.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describePartitions } from './stories/partitions.ts'

describePartitions({ start: EmbeddedStoryServer.start, isConcurrent: false })
