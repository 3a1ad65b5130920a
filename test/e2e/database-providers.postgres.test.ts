// Rights of the operator for Databases of each provider, on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeDatabaseProviders } from './stories/database-providers.ts'

describeDatabaseProviders(EmbeddedStoryServer.start)
