// The CRD of Migration and its rules on the embedded API server.
import { EmbeddedStoryServer } from '../e2e/embedded-story-server.ts'
import { describeMigration } from './migration-story.ts'

describeMigration(EmbeddedStoryServer.start)
