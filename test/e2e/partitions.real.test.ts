// Network partitions on a real API server: the operator recovers.
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describePartitions } from './stories/partitions.ts'

const cluster = attachToControlPlane()

describePartitions({ start: () => RealStoryServer.start(cluster), isConcurrent: true })
