// Does the operator have the rights for Databases of every provider on the server in this process?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeDatabaseProviders } from './stories/database-providers.ts'

describeDatabaseProviders(EmbeddedStoryServer.start)
