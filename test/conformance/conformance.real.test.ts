// Does the real API server behave as the suite says? That is what makes the suite's expectations true.
import { inject } from 'vitest'
import type {} from '../control-plane/vitest-global-setup.ts' // Declares what is provided.
import { runAreas } from './area.ts'
import { areas } from './areas.ts'
import { realServer } from './real-server.ts'

runAreas(areas, 'real', () => realServer(inject('controlPlane')))
