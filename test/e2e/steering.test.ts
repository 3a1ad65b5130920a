// Does the operator do on the server in this process what the annotations of a resource ask for, and nothing else?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeSteering } from './stories/steering.ts'

describeSteering(EmbeddedStoryServer.start)
