// Kinds whose CRD comes late or goes, on the server in this process.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeMissingKinds } from './stories/missing-kinds.ts'

describeMissingKinds(() => EmbeddedStoryServer.start({ hasDefinitions: false }))
