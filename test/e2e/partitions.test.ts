// Is the operator back on the server in this process, once the network is?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describePartitions } from './stories/partitions.ts'

describePartitions({ start: EmbeddedStoryServer.start, isConcurrent: false })
