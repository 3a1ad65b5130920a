// Children with unknown fields, on a real API server.
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeUnknownFields } from './stories/unknown-fields.ts'

const cluster = attachToControlPlane()

describeUnknownFields(() => RealStoryServer.start(cluster))
