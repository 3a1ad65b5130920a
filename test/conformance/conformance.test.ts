// Does the API server in this process behave as the suite says, and so as the real one does?
import { runAreas } from './area.ts'
import { areas } from './areas.ts'
import { embeddedServer } from './embedded-server.ts'

runAreas(areas, 'embedded', embeddedServer)
