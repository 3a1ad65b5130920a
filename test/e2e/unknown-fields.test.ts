// Children with unknown fields, on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeUnknownFields } from './stories/unknown-fields.ts'

describeUnknownFields(() => EmbeddedStoryServer.start({ hasDefinitions: false }))
