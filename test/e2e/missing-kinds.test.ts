// Kinds whose CRD is installed late or removed, on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeMissingKinds } from './stories/missing-kinds.ts'

describeMissingKinds(() => EmbeddedStoryServer.start({ hasDefinitions: false }))
