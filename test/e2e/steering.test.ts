// Steering annotations of a resource, on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeSteering } from './stories/steering.ts'

describeSteering(EmbeddedStoryServer.start)
